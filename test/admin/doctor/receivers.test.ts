import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FtpClient } from "../../daemon/receivers/ftp-client.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { finds, skips, well } from "./support.ts";

let daemon: TestDaemon;
let port: number;
let mailPort: number;
let squatter: Server;
const post = (path: string) =>
  fetch(`${daemon.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"camera_id":"porch","name":"Porch"}',
  });
const postEmpty = (path: string, method = "POST") =>
  fetch(`${daemon.url}${path}`, { method, ...(method === "POST" && { headers: { "content-type": "application/json" }, body: "{}" }) });

beforeAll(async () => {
  [port, mailPort] = await Promise.all([freePort(), freePort()]);
  daemon = await testDaemon({ env: { RECEIVER_HOST: "127.0.0.1", FTP_PORT: String(port), MAIL_PORT: String(mailPort) } });
  await post("/api/cameras");
});
afterAll(async () => {
  squatter?.close();
  await daemon.stop();
});

describe("doctor", () => {
  it("receivers: FTP and mail answer; wrong passwords and a taken port are found; without a login there is nothing to check", async () => {
    const given = () => ({ daemon: { url: daemon.url } });
    expect(await skips("receivers", given())).toContain("no camera has a login");
    await postEmpty("/api/cameras/porch/logins/ftp");
    await eventually(async () => (await well("receivers", given())) === `ftp on port ${port}`);
    await postEmpty("/api/cameras/porch/logins/mail");
    await eventually(async () => (await well("receivers", given())) === `ftp on port ${port}; mail on port ${mailPort}`);
    for (const word of ["one", "two", "three", "four", "five"]) {
      await expect(new FtpClient(port, "127.0.0.7").login("porch", word)).rejects.toThrow("530");
    }
    const guesses = await eventually(async () => await finds("receivers", given(), "error"));
    expect(guesses).toContain("127.0.0.7 sent wrong passwords of cameras 5 times in the last hour");
    for (const protocol of ["ftp", "mail"]) await postEmpty(`/api/cameras/porch/logins/${protocol}`, "DELETE");
    await eventually(async () => (await skips("receivers", given())) !== "");
    squatter = createServer((socket) => socket.end("hello\r\n")).listen(port, "127.0.0.1");
    await postEmpty("/api/cameras/porch/logins/ftp");
    const text = await eventually(async () => await finds("receivers", given(), "error"));
    expect(text).toContain(`The port ${port} of 127.0.0.1 cannot be opened: another program uses it`);
  });
});
