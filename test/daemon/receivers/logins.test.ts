import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";

let daemon: TestDaemon;
const ask = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};

beforeAll(async () => {
  daemon = await testDaemon({ env: { RECEIVER_HOST: "127.0.0.1", FTP_PORT: "0", MAIL_PORT: "0" } });
  for (const camera_id of ["porch", "yard"]) await ask("POST", "/api/cameras", { camera_id, name: camera_id });
});
afterAll(() => daemon.stop());

it("camera login: the password is shown once, with what to enter in the camera", async () => {
  const created = await ask("POST", "/api/cameras/porch/logins/ftp", {});
  expect(created).toMatchObject({ status: 201, body: { username: "porch", file_count: 0, last_connected_at: null } });
  expect(created.body.settings).toMatchObject({ host: "127.0.0.1", username: "porch", folder: "/", recipient: null, url: null });
  expect(created.body.settings.password).toMatch(/^[a-km-np-z2-9]{16}$/);
  const again = await ask("POST", "/api/cameras/porch/logins/ftp", { username: "front" });
  expect(again.body.settings.password).not.toBe(created.body.settings.password);
  const { body } = await ask("GET", "/api/receivers?camera_id=porch");
  expect(body.logins).toMatchObject([{ camera_id: "porch", protocol: "ftp", username: "front" }]);
  expect(JSON.stringify(body)).not.toContain(again.body.settings.password);
});

it("camera login: a taken user name, an unknown camera and an unknown protocol are refused", async () => {
  await ask("POST", "/api/cameras/porch/logins/mail", { username: "shared" });
  const taken = await ask("POST", "/api/cameras/yard/logins/mail", { username: "shared" });
  expect(taken).toMatchObject({ status: 409, body: { detail: expect.stringContaining("Camera porch already has the user name") } });
  expect((await ask("POST", "/api/cameras/none/logins/ftp", {})).status).toBe(404);
  expect((await ask("POST", "/api/cameras/porch/logins/telnet", {})).status).toBe(422);
  expect((await ask("POST", "/api/cameras/porch/logins/ftp", { username: "a b" })).status).toBe(422);
});

it("camera login: a deleted login is gone, and the login of a deleted camera is not listed", async () => {
  await ask("POST", "/api/cameras/yard/logins/http", {});
  expect((await ask("DELETE", "/api/cameras/yard/logins/http")).status).toBe(204);
  expect((await ask("DELETE", "/api/cameras/yard/logins/http")).status).toBe(404);
  await ask("POST", "/api/cameras/yard/logins/http", {});
  await ask("DELETE", "/api/cameras/yard");
  expect((await ask("GET", "/api/receivers?camera_id=yard")).body.logins).toEqual([]);
});
