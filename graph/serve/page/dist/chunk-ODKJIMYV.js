import{f as t}from"./chunk-FDGDJD6D.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
