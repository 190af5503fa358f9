// A bare loop: each message to each client, as ws is used in its own documentation.
import { WebSocketServer } from "ws";
import { answering } from "./answering.mjs";

let server;

answering(async (question) => {
  if ("open" in question) {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    await new Promise((resolve) => server.once("listening", resolve));
    return `http://127.0.0.1:${server.address().port}`;
  }
  for (const message of question.messages) {
    for (const client of server.clients) client.send(message);
  }
});
