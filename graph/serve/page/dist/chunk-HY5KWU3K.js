import{f as t}from"./chunk-ZTAQLKT3.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
