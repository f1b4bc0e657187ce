// Reads [[bcid, text, options], …] from standard input and prints, for each, the rows of modules that bwip-js makes of it.

const bwipjs = require("bwip-js");

function rows([bcid, text, options]) {
  const symbol = bwipjs.raw({ bcid, text, ...options })[0];
  if (symbol.sbs) return [symbol.sbs.map((run, index) => String((index + 1) % 2).repeat(run)).join("")];
  const modules = symbol.pixs.join("");
  return modules.match(new RegExp(`.{${symbol.pixx}}`, "g"));
}

const asked = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
console.log(JSON.stringify(asked.map(rows)));
