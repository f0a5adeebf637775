import{f as t}from"./chunk-RJ44S45H.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
