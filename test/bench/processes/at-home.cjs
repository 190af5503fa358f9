// Loaded before node-deepstackai-trigger, which knows only folders at the root of the disk: puts them below PEER_HOME.
const { readFileSync } = require("node:fs");
const { _extensions: extensions } = require("node:module");

const compile = extensions[".js"];
extensions[".js"] = (module, path) => {
  if (path.includes("node_modules")) return compile(module, path);
  const home = process.env.PEER_HOME;
  const source = readFileSync(path, "utf8").replaceAll('"/config/', `"${home}/config/`);
  return module._compile(source.replaceAll('"/node-deepstackai-trigger"', `"${home}/storage"`), path);
};
