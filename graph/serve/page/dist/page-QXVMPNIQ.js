import{s as o,u as n}from"./chunk-34XERSTW.js";import"./chunk-WOT6VMZA.js";function a(){return n("main",{class:"wide",children:n("h1",{children:o("menu.operation")})})}export{a as default};
