import{s as t,u as n}from"./chunk-34XERSTW.js";import"./chunk-WOT6VMZA.js";function e(){return n("main",{class:"wide",children:n("h1",{children:t("menu.settings")})})}export{e as default};
