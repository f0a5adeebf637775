import{s as o,u as n}from"./chunk-AKNYW7ZL.js";import"./chunk-WOT6VMZA.js";function r(){return n("main",{class:"narrow",children:n("h1",{children:o("menu.inbox")})})}export{r as default};
