import{f as t}from"./chunk-N4EBHJNQ.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
