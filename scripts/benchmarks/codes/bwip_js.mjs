// The peer under Node: bwip-js behind Node's http module, one process, the service's request and response.
// Argument: the folder whose node_modules holds bwip-js. Prints its port when it is ready.

import { createServer } from "node:http";
import { createRequire } from "node:module";

const bwipjs = createRequire(`${process.argv[2]}/`)("bwip-js");

// Two pixels a module; 50 points at scale 2 are bars of 100 pixels.
const LOOK = { bcid: "code128", scale: 2, height: (50 / 72) * 25.4, includetext: true, textxalign: "center" };

async function draw(wanted) {
  const options = { ...LOOK, text: wanted.product_code };
  const svg = bwipjs.toSVG(options);
  const png = await bwipjs.toBuffer(options);
  const uri = `data:image/png;base64,${png.toString("base64")}`;
  return JSON.stringify({ success: true, data: { ...wanted, barcode_svg: svg, barcode_base64: uri } });
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const content = Buffer.from(await draw(JSON.parse(Buffer.concat(chunks))));
    response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": content.length });
    response.end(content);
  });
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
