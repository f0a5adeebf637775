import{f as t}from"./chunk-UNSTLBVH.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
