import{f as t}from"./chunk-QLUG7HT7.js";function n(e){t(()=>{document.title=`${e} – Mneme`},[e])}export{n as a};
