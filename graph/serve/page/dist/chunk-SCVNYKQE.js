import{f as t}from"./chunk-MX5ACDRR.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
