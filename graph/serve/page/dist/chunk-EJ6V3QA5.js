import{f as t}from"./chunk-2JQNAOMG.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
