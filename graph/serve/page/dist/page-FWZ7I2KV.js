import{s as a,u as n}from"./chunk-34XERSTW.js";import"./chunk-WOT6VMZA.js";function i(){return n("main",{class:"wide",children:n("h1",{children:a("menu.brain")})})}export{i as default};
