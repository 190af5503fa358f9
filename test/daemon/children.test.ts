import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("child processes of the daemon receive none of its secrets", async () => {
  const folder = temporaryFolder("children");
  const database = await testDatabase();
  const bin = join(folder.path, "bin");
  const told = join(folder.path, "told");
  await mkdir(bin);
  // replaces ffmpeg, which reads uploads of cameras
  await writeFile(join(bin, "ffmpeg"), `#!/bin/sh\nenv > ${told}.new && mv ${told}.new ${told}\n`);
  await chmod(join(bin, "ffmpeg"), 0o755);
  const secrets = {
    ...{ API_KEY_ENABLED: "true", API_KEYS: "hs_hush-api-0123456789", WEBSOCKET_TOKEN: "hush-token", SMTP_PASSWORD: "hush-mail" },
    ...{ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:9/hush-webhook", HOMESEC_API_KEY: "hs_hush-command" },
  };
  const upstreams = { DETECTOR_URL: "http://127.0.0.1:9", LANGUAGE_MODEL_URL: "http://127.0.0.1:9" };
  const daemon = await serveHomesec({
    ...{ ...secrets, ...upstreams, DATA_DIR: folder.path, DATABASE_URL: database.url },
    PATH: `${bin}:${process.env["PATH"]}`,
  });
  try {
    const environment = await eventually(() => readFile(told, "utf8"));
    expect(environment).toContain("PATH=");
    expect(environment).not.toContain("hush");
    expect(environment).not.toContain("DATABASE_URL");
    // and yet they work
    expect((await fetch(`${daemon.url}/api/cameras`)).status).toBe(401);
    expect((await fetch(`${daemon.url}/api/cameras`, { headers: { "X-API-Key": secrets.API_KEYS } })).status).toBe(200);
  } finally {
    daemon.kill("SIGTERM");
    await daemon.exit;
    await database.close();
    await folder.remove();
  }
});
