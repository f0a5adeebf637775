import{f as t}from"./chunk-7P4FB5DF.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
