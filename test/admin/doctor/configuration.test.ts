import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSignedCertificate } from "../../../daemon/tls/certificate.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { filesIn, finds, make, ownFolder, says, skips, well } from "./support.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const key = "hs_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const keyed = { API_KEY_ENABLED: "true", API_KEYS: key };

describe("doctor: configuration", () => {
  it("reports all errors of the configuration, and skips the checks that need it", async () => {
    const env = { PORT: "abc", TLS_MODE: "provided" };
    const text = await finds("configuration", { env }, "error");
    expect(text).toMatch(/3 errors.*PORT="abc".*TLS_CERT_PATH.*homesec config check/);
    expect(await skips("smtp", { env })).toBe("the configuration has errors");
    await well("configuration");
  });

  it("warns about values that have no effect, except what other checks report", async () => {
    expect(await finds("configuration", { env: { API_KEYS: key } }, "warning")).toContain("API_KEYS has no effect");
    await well("configuration", { env: { HOST: "0.0.0.0" } });
    const { findings } = await make("configuration", { env: { HOMESEC_PROT: "1" } });
    expect(findings.map(({ finding }) => finding)).toEqual(["HOMESEC_PROT is not a variable of homesec and has no effect"]);
  });

  it("warns about misspelled variables", async () => {
    expect(await finds("configuration", { env: { HOMESEC_PORT: "1", SMTP_HOTS: "mail.example.org" } })).toMatch(
      /HOMESEC_PORT, SMTP_HOTS are not variables.*Write PORT instead of HOMESEC_PORT.*Write SMTP_HOST instead of SMTP_HOTS/,
    );
    const usual = {
      PATH: "1",
      HOME: "1",
      HOSTNAME: "1",
      LOGNAME: "1",
      LANG: "1",
      TERM: "1",
      PWD: "1",
      OLDPWD: "1",
      XDG_DATA_DIRS: "1",
      DATA_ROOT: "1",
    };
    await well("configuration", { env: usual });
  });

  it("warns about variables that a stored setting overrides", async () => {
    await database.db.query((sql) => sql`insert into settings (key, value) values ('RETENTION_DAYS', '14'), ('REID_ENABLED', 'false')`);
    expect(await finds("stored-settings", { env: { RETENTION_DAYS: "60" }, db: database.db })).toMatch(
      /RETENTION_DAYS=60 \(environment\) has no effect: 14 was stored.*homesec config set --reset retention_days/,
    );
    await well("stored-settings", { env: { RETENTION_DAYS: "14" }, db: database.db });
  });

  it("warns about files with secrets that others may read", async () => {
    const cwd = filesIn({ ".env": "SMTP_PASSWORD=x\nPORT=1\n", "other.conf": "PORT=1\n" });
    chmodSync(join(cwd, ".env"), 0o644);
    expect(await finds("configuration-files", { machine: { cwd } }, "warning")).toContain(`chmod 600 ${join(cwd, ".env")}`);
    chmodSync(join(cwd, ".env"), 0o600);
    chmodSync(join(cwd, "other.conf"), 0o644);
    await well("configuration-files", { machine: { cwd, configPath: "other.conf" } });
    writeFileSync(join(cwd, "other.json"), '{"API_KEYS": ["x"]}', { mode: 0o644 });
    expect(await finds("configuration-files", { machine: { cwd, configPath: "other.json" } })).toContain("other.json");
  });
});

describe("doctor: access", () => {
  it("warns about an open API without a key", async () => {
    const publicly = { addresses: ["127.0.0.1", "8.8.8.8"] };
    expect(await finds("access", { env: { HOST: "0.0.0.0" } }, "warning")).toMatch(/everyone in the network.*homesec keys generate/);
    expect(await finds("access", { env: { HOST: "0.0.0.0" }, machine: publicly }, "error")).toContain("everyone on the internet");
    expect(await finds("access", { env: { HOST: "2001:4860:4860::8888" } }, "error")).toContain("everyone on the internet");
    expect(await finds("access", { env: { HOST: "192.168.1.5" } }, "warning")).toContain("HOST=192.168.1.5");
    expect(await well("access", { env: { HOST: "0.0.0.0", ...keyed } })).toBe(
      "requires an API key, except for pictures (MEDIA_REQUIRES_KEY)",
    );
    for (const HOST of ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
      expect(await well("access", { env: { HOST } })).toBe("this machine only");
  });

  it("warns about weak keys, and never shows one", async () => {
    const report = await make("access", {
      env: { API_KEY_ENABLED: "true", API_KEYS: `swordfish,${key}`, WEBSOCKET_TOKEN: "aaaaaaaaaaaaaaaaaaaaaaaa" },
    });
    expect(report.finding).toBe("1 key of API_KEYS and WEBSOCKET_TOKEN can be guessed");
    expect(JSON.stringify(report)).not.toMatch(/swordfish|aaaaaaa/);
    await finds("access", { env: { API_KEY_ENABLED: "true", API_KEYS: "short" } });
    await well("access", { env: keyed });
    await well("access");
  });

  it("warns about missing rate limits and TLS, and about proxies that are too wide", async () => {
    expect(await finds("access", { env: { RATE_LIMIT_ENABLED: "false", HOST: "0.0.0.0" } })).toContain("try API keys without limit");
    expect(await says("access", { env: { HOST: "0.0.0.0" } })).not.toContain("without limit");
    await well("access", { env: { RATE_LIMIT_ENABLED: "false" } });
    const publicly = { addresses: ["8.8.8.8"] };
    expect(await finds("access", { env: { HOST: "0.0.0.0", ...keyed, MEDIA_REQUIRES_KEY: "true" }, machine: publicly })).toContain(
      "TLS_MODE=self_signed",
    );
    for (const env of [{}, { HOST: "0.0.0.0", ...keyed }]) await well("access", { env });
    await well("access", { env: { HOST: "0.0.0.0", ...keyed, MEDIA_REQUIRES_KEY: "true", TLS_MODE: "self_signed" }, machine: publicly });
    await well("access", {
      env: { HOST: "0.0.0.0", ...keyed, MEDIA_REQUIRES_KEY: "true", TRUSTED_PROXY_IPS: "10.0.0.1" },
      machine: publicly,
    });
    expect(await finds("access", { env: { TRUSTED_PROXY_IPS: "10.0.0.1,0.0.0.0/0" } }, "error")).toContain("0.0.0.0/0");
    expect(await finds("access", { env: { TRUSTED_PROXY_IPS: "::/0" } }, "error")).toContain("X-Forwarded-For");
    await well("access", { env: { TRUSTED_PROXY_IPS: "10.0.0.0/8" } });
  });

  it("reports a PUBLIC_URL that ALLOWED_HOSTS rejects", async () => {
    expect(await finds("allowed-hosts", { env: { PUBLIC_URL: "https://home.example.net" } }, "error")).toContain(
      "ALLOWED_HOSTS=home.example.net",
    );
    await well("allowed-hosts", { env: { PUBLIC_URL: "https://home.example.net", ALLOWED_HOSTS: "*.example.net" } });
    for (const PUBLIC_URL of ["http://nas:8000", "http://192.168.1.5:8000"]) await well("allowed-hosts", { env: { PUBLIC_URL } });
  });

  it("warns about mails with links to localhost", async () => {
    const mail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "a@example.org", DEFAULT_EMAIL_RECIPIENTS: "b@example.org" };
    expect(await finds("allowed-hosts", { env: { ...mail, PUBLIC_URL: "http://localhost:8000" } })).toContain("only on this machine");
    await well("allowed-hosts", { env: { ...mail, PUBLIC_URL: "https://home.example.net", ALLOWED_HOSTS: "home.example.net" } });
    await well("allowed-hosts", { env: mail });
    await well("allowed-hosts", { env: { PUBLIC_URL: "http://localhost:8000" } });
  });
});

describe("doctor: address and port", () => {
  it("reports a port that another program uses", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const env = { PORT: String(port) };
    expect(await finds("port", { env }, "error")).toMatch(new RegExp(`Another program listens on 127.0.0.1:${port}.*ss -ltnp`));
    await well("port", { env, daemon: { url: `http://127.0.0.1:${port}` } });
    await well("port", { env, holder: { pid: 7, lives: true } });
    expect(await skips("port", { env, isDaemon: true })).toContain("the daemon itself listens there");
    await new Promise((resolve) => server.close(resolve));
    expect(await well("port", { env })).toContain("is free");
    expect(await finds("port", { env: { PORT: "80" }, machine: { proc: "/nonexistent" } })).toContain("CAP_NET_BIND_SERVICE");
    expect(await well("port", { env: { PORT: "0" } })).toContain("any free port");
  });

  it("reports a HOST that is not an address of this machine", async () => {
    expect(await finds("port", { env: { HOST: "203.0.113.9" } }, "error")).toMatch(/not an address of this machine.*192.168.1.5/);
    expect(await finds("port", { env: { HOST: "nowhere.invalid" } })).toContain("cannot be resolved");
    for (const HOST of ["127.0.0.1", "0.0.0.0", "::", "192.168.1.5", "localhost"]) await well("port", { env: { HOST, PORT: "0" } });
  });
});

describe("doctor: TLS certificate", () => {
  const now = "2026-03-01T12:00:00Z";
  const pair = (from: string, to: string, names = ["home.example.net"]): Record<string, string> => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const cert = selfSignedCertificate({ title: "test", names, from: new Date(from), to: new Date(to), publicKey, privateKey });
    const folder = filesIn({ "cert.pem": cert, "key.pem": privateKey.export({ type: "pkcs8", format: "pem" }).toString() });
    return { TLS_MODE: "provided", TLS_CERT_PATH: join(folder, "cert.pem"), TLS_KEY_PATH: join(folder, "key.pem") };
  };
  const good = pair("2026-01-01", "2027-01-01");

  it("reports files that are unreadable or do not match", async () => {
    await well("tls", { env: good, now });
    const other = pair("2026-01-01", "2027-01-01");
    expect(await finds("tls", { env: { ...good, TLS_KEY_PATH: other["TLS_KEY_PATH"] as string } }, "error")).toContain(
      "is not the key of the first certificate",
    );
    expect(await finds("tls", { env: { ...good, TLS_CERT_PATH: "/nonexistent.pem" } })).toContain("does not exist");
    expect(await skips("tls")).toContain("TLS_MODE is disabled");
    const dataDir = ownFolder();
    expect(await skips("tls", { env: { TLS_MODE: "self_signed", DATA_DIR: dataDir } })).toContain("first start");
    mkdirSync(join(dataDir, "tls"));
    writeFileSync(join(dataDir, "tls", "cert.pem"), "damaged");
    expect(await finds("tls", { env: { TLS_MODE: "self_signed", DATA_DIR: dataDir } })).toContain("makes new ones");
  });

  it("reports a certificate that expires soon", async () => {
    expect(await well("tls", { env: good, now })).toBe("305 days left");
    expect(await finds("tls", { env: pair("2025-01-01", "2026-03-08"), now }, "warning")).toContain("expires in 6 days");
    expect(await finds("tls", { env: pair("2025-01-01", "2026-02-28"), now }, "error")).toContain("expired on 2026-02-28");
    expect(await finds("tls", { env: pair("2026-03-02", "2027-02-28"), now }, "error")).toContain("not valid before 2026-03-02");
  });

  it("warns about a certificate without the name of PUBLIC_URL or HOST", async () => {
    await well("tls", { env: { ...good, PUBLIC_URL: "https://home.example.net" }, now });
    expect(await finds("tls", { env: { ...good, PUBLIC_URL: "https://other.example.net" } })).toContain(
      "not valid for other.example.net, only for DNS:home.example.net",
    );
    expect(await finds("tls", { env: { ...good, HOST: "nas" } })).toContain("not valid for nas");
    await well("tls", { env: { ...good, HOST: "0.0.0.0" }, now });
  });
});
