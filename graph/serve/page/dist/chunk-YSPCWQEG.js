import{f as t}from"./chunk-ZQ6SEZGQ.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
