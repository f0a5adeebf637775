import{f as t}from"./chunk-WR763IMB.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
