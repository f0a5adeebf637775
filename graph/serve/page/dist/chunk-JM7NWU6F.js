import{f as t}from"./chunk-VCIUKM4V.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
