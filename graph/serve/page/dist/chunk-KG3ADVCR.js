import{f as t}from"./chunk-4DMROIY4.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
