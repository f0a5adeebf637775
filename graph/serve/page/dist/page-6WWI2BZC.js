import{s as o,u as n}from"./chunk-5RL5KXFS.js";import"./chunk-OOJM4CTU.js";function a(){return n("main",{class:"wide",children:n("h1",{children:o("menu.operation")})})}export{a as default};
