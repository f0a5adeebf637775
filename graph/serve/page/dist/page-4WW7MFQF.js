import{p as o,q as n}from"./chunk-CIZOD3ZY.js";function a(){return n("main",{class:"narrow",children:n("h1",{children:o("menu.inbox")})})}export{a as default};
