// A client of the MCP SDK and its server over stdio: tools, one of which fails, a resource, and one that is not there.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const load = process.env.LOAD === "require" ? createRequire(import.meta.url) : (name) => import(name);
const sdk = "@modelcontextprotocol/sdk";

async function serve() {
  const { McpServer } = await load(`${sdk}/server/mcp.js`);
  const { StdioServerTransport } = await load(`${sdk}/server/stdio.js`);
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool("look", { description: "looks", inputSchema: { city: z.string() } }, async ({ city }) => {
    if (city === "Nowhere") throw new Error("not on the map");
    return { content: [{ type: "text", text: `rain in ${city}` }] };
  });
  server.registerResource("map", "map://world", {}, async ({ href }) => ({ contents: [{ uri: href, text: "a map" }] }));
  await server.connect(new StdioServerTransport());
}

async function ask() {
  const { Client } = await load(`${sdk}/client/index.js`);
  const { StdioClientTransport } = await load(`${sdk}/client/stdio.js`);
  const client = new Client({ name: "traveller", version: "1.0.0" });
  const args = [fileURLToPath(import.meta.url), "serve"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: process.env }));
  console.log((await client.listTools()).tools.length);
  for (const city of ["Bergen", "Nowhere"]) {
    const answer = await client.callTool({ name: "look", arguments: { city } });
    console.log(answer.isError === true, answer.content[0].text);
  }
  console.log((await client.readResource({ uri: "map://world" })).contents[0].text);
  await client.readResource({ uri: "map://moon" }).catch((error) => console.log(error.constructor.name, error.code));
  await client.close();
}

await (process.argv[2] === "serve" ? serve() : ask());
process.exitCode = 0;
