// Over 400 lines: the dialogues of all brands and clients run against one daemon with its own certificate.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { connect as secureConnect } from "node:tls";
import { promisify } from "node:util";
import { createTransport, type SentMessageInfo } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";
import { FtpClient } from "./ftp-client.ts";

const run = promisify(execFile);
const files = temporaryFolder("ftp");
let daemon: TestDaemon;
let detector: StandIn;
let model: StandIn;
let port: number;
let implicitPort: number;
let password: string;
let root: string;

interface Answers {
  readonly settings: { readonly password: string };
  readonly receivers: readonly { readonly protocol: string; readonly state: string; readonly port: number }[];
  readonly logins: readonly { readonly file_count: number; readonly last_connected_at: string | null }[];
  readonly recent_faults: readonly { readonly message: string; readonly client: string; readonly camera_id: string | null }[];
}
const ask = async (method: string, path: string, body?: object): Promise<Answers> =>
  await secureFetch(`${daemon.url}${path}`, method, body);

/** The daemon has its own certificate, which curl need not trust here. */
async function secureFetch(url: string, method: string, body?: object): Promise<Answers> {
  const data = body ? ["-H", "Content-Type: application/json", "--data", JSON.stringify(body)] : [];
  const { stdout } = await run("curl", ["-sk", "-X", method, url, ...data]);
  return JSON.parse(stdout) as Answers;
}

beforeAll(async () => {
  [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  implicitPort = await freePort();
  daemon = await testDaemon({
    env: {
      ...{ DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, TLS_MODE: "self_signed" },
      ...{ RECEIVER_HOST: "127.0.0.1", FTP_PORT: "0", FTPS_PORT: String(implicitPort), FTP_PASSIVE_PORTS: "0", MAIL_PORT: "0" },
    },
  });
  await ask("POST", "/api/cameras", { camera_id: "porch", name: "Porch" });
  ({
    settings: { password },
  } = await ask("POST", "/api/cameras/porch/logins/ftp", {}));
  root = join(daemon.cameraRoot, "porch");
  port = await eventually(async () => {
    const { receivers } = await ask("GET", "/api/receivers");
    const ftp = receivers.find(({ protocol }) => protocol === "ftp");
    return ftp?.state === "listening" ? ftp.port : undefined;
  });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([detector.close(), model.close(), files.remove()]);
});

/** Waits until the picture has an outcome in the ledger, and returns each row of its content. */
async function rowsOf(
  picture: Buffer,
): Promise<readonly { readonly path: string; readonly status: string; readonly reason: string | null }[]> {
  const hash = createHash("sha256").update(picture).digest();
  return await eventually(
    async () => {
      const rows = await daemon.context.db.query(
        (sql) => sql<{ path: string; status: string; reason: string | null }[]>`
          select i.path, i.status, i.reason from images i where i.sha256 = ${hash} order by i.image_id
        `,
      );
      return rows.length > 0 && rows.every(({ status }) => status !== "pending") ? rows : undefined;
    },
    { what: "the outcome of the picture" },
  );
}

async function isProcessedAs(name: string, picture: Buffer): Promise<void> {
  await eventually(async () => (await readFile(join(root, name))).equals(picture), { what: name });
  expect(await rowsOf(picture)).toMatchObject([
    { path: expect.stringMatching(`porch/${name.replaceAll(/[[\]()+]/g, "\\$&")}$`), status: "processed" },
  ]);
}

const faults = async (): Promise<string> => {
  const { recent_faults } = await ask("GET", "/api/receivers?camera_id=porch");
  return recent_faults.map(({ message, client }) => `${client}: ${message}`).join("\n");
};

/* Cameras */

/** A step: a command with the beginning of its reply. `<` before a command: it uploads the picture. */
type Step = readonly [command: string, reply: string];
const folder = (name: string): readonly Step[] => [
  [`CWD ${name}`, "550"],
  [`MKD ${name}`, "257"],
  [`CWD ${name}`, "250"],
];

const cameras: Readonly<Record<string, { readonly steps: readonly Step[]; readonly stored: string }>> = {
  Reolink: {
    steps: [
      ["SYST", "215 UNIX"],
      ["TYPE I", "200"],
      ["PWD", '257 "/"'],
      ...["reolink", "2026", "11", "27"].flatMap(folder),
      ["<STOR Porch_00_20261127131500.jpg", "226"],
      ["SIZE Porch_00_20261127131500.jpg", "213"],
    ],
    stored: "reolink/2026/11/27/Porch_00_20261127131500.jpg",
  },
  Hikvision: {
    steps: [
      ["OPTS UTF8 ON", "200"],
      ["TYPE I", "200"],
      ["CWD /", "250"],
      ...folder("hikvision"),
      ["<EPSV STOR 192.168.1.64_01_20261127131500123_MOTION_DETECTION.jpg", "226"],
    ],
    stored: "hikvision/192.168.1.64_01_20261127131500123_MOTION_DETECTION.jpg",
  },
  Dahua: {
    steps: [
      ["TYPE I", "200"],
      ["CWD /dahua/2026-11-27/001/jpg", "550"],
      ["MKD /dahua", "257"],
      ["MKD /dahua/2026-11-27", "257"],
      ["MKD /dahua/2026-11-27/001/jpg", "257"],
      ["CWD /dahua/2026-11-27/001/jpg", "250"],
      ["ALLO 71234", "200"],
      ["<STOR 13.15.00[M][0@0][0].jpg", "226"],
    ],
    stored: "dahua/2026-11-27/001/jpg/13.15.00[M][0@0][0].jpg",
  },
  Amcrest: {
    steps: [
      ["TYPE I", "200"],
      ["ALLO 100 R 10", "200"],
      ["<STOR /amcrest/2026-11-27/13.15.00.jpg_", "226"],
      ["RNFR /amcrest/2026-11-27/13.15.00.jpg_", "350"],
      ["RNTO /amcrest/2026-11-27/13.15.00.jpg", "250"],
    ],
    stored: "amcrest/2026-11-27/13.15.00.jpg",
  },
  Foscam: {
    steps: [
      ["TYPE I", "200"],
      ...folder("FI9900P_00626E"),
      ...folder("snap"),
      ["<PORT STOR MDAlarm_20261127-131500.jpg", "226"],
      ["NOOP", "200"],
    ],
    stored: "FI9900P_00626E/snap/MDAlarm_20261127-131500.jpg",
  },
  Axis: {
    steps: [
      ["TYPE I", "200"],
      ["MODE S", "200"],
      ["STRU F", "200"],
      ...folder("axis"),
      ["<EPSV STOR image26-11-27_13-15-00-12.jpg.tmp", "226"],
      ["RNFR image26-11-27_13-15-00-12.jpg.tmp", "350"],
      ["RNTO image26-11-27_13-15-00-12.jpg", "250"],
    ],
    stored: "axis/image26-11-27_13-15-00-12.jpg",
  },
  "TP-Link": {
    steps: [
      ["FEAT", "211"],
      ["REST 0", "350"],
      ["<EPRT APPE \\tp link\\Bewegung vor Haustür 13:15.jpg", "226"],
      ["MDTM \\tp link\\Bewegung vor Haustür 13:15.jpg", "213 20"],
    ],
    stored: "tp link/Bewegung vor Haustür 13:15.jpg",
  },
  "Windows' ftp": {
    steps: [
      ["XMKD win", "257"],
      ["XPWD", '257 "/"'],
      ["XCWD win", "250"],
      ["TYPE I", "200"],
      ["<PORT STOR picture 1.jpg", "226"],
      ["RETR picture 1.jpg", "550 homesec receives pictures"],
    ],
    stored: "win/picture 1.jpg",
  },
};

/** Uploads over a connection that the server opens. */
async function uploadActive(client: FtpClient, verb: "PORT" | "EPRT", command: string, picture: Buffer): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  const target = verb === "PORT" ? `127,0,0,1,${own >> 8},${own & 255}` : `|1|127.0.0.1|${own}|`;
  expect(await client.ask(`${verb} ${target}`)).toMatch(/^200/);
  const connected = once(server, "connection") as Promise<[Socket]>;
  expect(await client.ask(command)).toMatch(/^150/);
  const [data] = await connected;
  data.end(picture);
  server.close();
  return await client.reply();
}

it.each(Object.entries(cameras))("FTP: a dialogue in the manner of %s ends with a processed picture", async (_, { steps, stored }) => {
  const client = await new FtpClient(port).login("porch", password);
  const picture = await uniqueJpeg();
  for (const [command, expected] of steps) {
    const [, way = "PASV", upload] = /^<(?:(EPSV|PORT|EPRT) )?(.*)$/.exec(command) ?? [];
    const reply =
      upload === undefined
        ? await client.ask(command)
        : way === "PORT" || way === "EPRT"
          ? await uploadActive(client, way, upload, picture)
          : await client.upload(upload, picture, way as "PASV" | "EPSV");
    expect(reply, command).toMatch(new RegExp(`^${expected}`));
  }
  expect(await client.ask("QUIT")).toMatch(/^221/);
  await isProcessedAs(stored, picture);
});

it("FTP: names in Latin-1, names that hide a file, and paths that lead elsewhere stay in the camera's folder", async () => {
  const client = await new FtpClient(port).login("porch", password);
  const pictures = await Promise.all(Array.from({ length: 4 }, () => uniqueJpeg()));
  const [latin, dots, home, deep] = pictures as [Buffer, Buffer, Buffer, Buffer];
  expect(await client.upload("STOR Tür.jpg", latin, "PASV", "latin1")).toMatch(/^226/);
  expect(await client.upload("STOR ../../../etc/escape.jpg", dots)).toMatch(/^226/);
  expect(await client.upload("STOR ~/..\\..\\home.jpg", home)).toMatch(/^226/);
  expect(await client.upload(`STOR ${"a/".repeat(40)}deep.jpg`, deep)).toMatch(/^553/);
  expect(await client.ask("CWD ../../..")).toBe("250 / is the current folder");
  await isProcessedAs("Tür.jpg", latin);
  await isProcessedAs("etc/escape.jpg", dots);
  await isProcessedAs("home.jpg", home);
  expect((await readdir(daemon.cameraRoot)).sort()).toEqual(["porch"]);
  client.close();
});

/* Temporary names */

it("FTP: a file under a temporary name gets its final name, or a plain one when the session dies", async () => {
  const client = await new FtpClient(port).login("porch", password);
  const [named, orphan, twice] = await Promise.all([uniqueJpeg(), uniqueJpeg(), uniqueJpeg()]);
  await client.upload("STOR temp/a.jpg.part", named);
  await client.upload("STOR temp/b.jpg~", orphan);
  expect(await readdir(root)).not.toContain("temp");
  expect(await client.list("NLST temp")).toBe("a.jpg.part\r\nb.jpg~\r\n");
  await client.ask("RNFR temp/a.jpg.part");
  expect(await client.ask("RNTO temp/a.jpg")).toMatch(/^250/);
  // a plain name is in the folder at once: the later rename is one of a file that may be processed
  await client.upload("STOR temp/c-1.jpg", twice);
  await rowsOf(twice);
  await client.ask("RNFR temp/c-1.jpg");
  expect(await client.ask("RNTO temp/c.jpg")).toMatch(/^250/);
  client.socket.resetAndDestroy();
  await isProcessedAs("temp/a.jpg", named);
  await isProcessedAs("temp/b.jpg", orphan);
  const rows = await eventually(async () => {
    const found = await rowsOf(twice);
    return found.length === 2 ? found : undefined;
  });
  expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
    ["processed", null],
    ["skipped", "moved"],
  ]);
});

/* Programs */

const has = (program: string): boolean => {
  try {
    execFileSync("which", [program]);
    return true;
  } catch {
    process.stdout.write(`SKIPPED: ${program} is not installed\n`);
    return false;
  }
};
const prepared = async (name: string): Promise<{ readonly path: string; readonly picture: Buffer }> => {
  const path = join(files.path, name);
  const picture = await uniqueJpeg();
  await writeFile(path, picture);
  return { path, picture };
};

it("FTP: curl delivers by plain FTP, explicit and implicit TLS, and active mode", async () => {
  const ways: readonly (readonly [name: string, ...options: string[]])[] = [
    ["plain.jpg"],
    ["explicit.jpg", "--ssl-reqd", "-k"],
    ["active.jpg", "--ftp-port", "127.0.0.1"],
    ["implicit.jpg", "-k"],
  ];
  for (const [name, ...options] of ways) {
    const { path, picture } = await prepared(name);
    const url = name === "implicit.jpg" ? `ftps://127.0.0.1:${implicitPort}` : `ftp://127.0.0.1:${port}`;
    await run("curl", ["-sS", "--ftp-create-dirs", "-T", path, "--user", `porch:${password}`, ...options, `${url}/curl/${name}`]);
    await isProcessedAs(`curl/${name}`, picture);
  }
});

/** The mail login of the camera, and the port of the mail receiver once it listens. */
async function mailDoor(): Promise<{ readonly mailPort: number; readonly pass: string }> {
  const { settings } = await ask("POST", "/api/cameras/porch/logins/mail", {});
  const mailPort = await eventually(async () => {
    const { receivers } = await ask("GET", "/api/receivers");
    return receivers.find(({ protocol, state }) => protocol === "mail" && state === "listening")?.port;
  });
  return { mailPort, pass: settings.password };
}

it("mail: a camera delivers by STARTTLS with the daemon's own certificate", async () => {
  const { mailPort, pass } = await mailDoor();
  const auth = { user: "porch", pass };
  const transport = createTransport({ host: "127.0.0.1", port: mailPort, requireTLS: true, tls: { rejectUnauthorized: false }, auth });
  const content = await uniqueJpeg();
  const sent = (await transport.sendMail({
    ...{ from: "camera@home", to: "porch@homesec", subject: "Motion", attachments: [{ filename: "secure.jpg", content }] },
  })) as SentMessageInfo;
  transport.close();
  expect(String(sent.response)).toContain("Stored 1 picture");
  await isProcessedAs("secure.jpg", content);
});

it("receivers: a camera that knows only TLS 1.0 is told so in words, by FTP and by mail", async () => {
  const { mailPort } = await mailDoor();
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0", rejectUnauthorized: false } as const;
  const refused = async (socket: Socket): Promise<void> => {
    const secure = secureConnect({ socket, ...old });
    secure.on("error", () => {});
    await new Promise((resolve) => secure.once("close", resolve));
  };
  await refused(connect(implicitPort, "127.0.0.1"));
  await eventually(async () => (await faults()).includes("too old (TLS 1.0 or 1.1); update its firmware, or use plain FTP"));
  const mail = connect(mailPort, "127.0.0.1");
  for (const line of ["EHLO camera", "STARTTLS"]) {
    await once(mail, "data");
    mail.write(`${line}\r\n`);
  }
  await once(mail, "data");
  await refused(mail);
  await eventually(async () =>
    (await faults()).includes("too old (TLS 1.0 or 1.1); update its firmware, or switch encryption off in the camera"),
  );
});

it.skipIf(!has("lftp"))("FTP: lftp delivers by TLS into a new folder and lists it", async () => {
  const { path, picture } = await prepared("lftp.jpg");
  const script = `set ssl:verify-certificate no; set ftp:ssl-force true; set ftp:ssl-protect-data true; open -u porch,${password} -p ${port} 127.0.0.1; mkdir -p lftp/day; cd lftp/day; put ${path}; cls -1; bye`;
  const { stdout } = await run("lftp", ["--norc", "-c", script], { env: { ...process.env, HOME: files.path } });
  expect(stdout).toContain("lftp.jpg");
  await isProcessedAs("lftp/day/lftp.jpg", picture);
});

it.skipIf(!has("python3"))("FTP: Python's ftplib delivers with and without TLS", async () => {
  for (const kind of ["FTP", "FTP_TLS"]) {
    const { path, picture } = await prepared(`${kind}.jpg`);
    const script = [
      "import ftplib, sys",
      `ftp = ftplib.${kind}(); ftp.connect("127.0.0.1", ${port}); ftp.login("porch", "${password}")`,
      ...(kind === "FTP_TLS" ? ["ftp.prot_p()"] : []),
      `ftp.storbinary("STOR ${kind}.jpg", open("${path}", "rb"))`,
      `print(ftp.size("${kind}.jpg"), ftp.nlst(), [name for name, facts in ftp.mlsd()]); ftp.quit()`,
    ];
    const { stdout } = await run("python3", ["-c", script.join("\n")]);
    expect(stdout.trim()).toBe(`${picture.length} ['${kind}.jpg'] ['${kind}.jpg']`);
    await isProcessedAs(`${kind}.jpg`, picture);
  }
});

/* Faults in words */

it("FTP: a wrong password, an unknown user and a bounce attack are refused and noted with the client's address", async () => {
  const client = new FtpClient(port);
  await client.reply();
  expect(await client.ask("STOR a.jpg")).toMatch(/^530/);
  await client.ask("USER porch");
  expect(await client.ask("PASS wrong")).toBe("530 User name or password is wrong");
  await client.ask("USER nobody");
  await client.ask("PASS wrong");
  expect(await client.ask("PASS wrong")).toMatch(/^421/);
  expect(await client.reply()).toBe("closed");
  const bouncer = await new FtpClient(port).login("porch", password);
  expect(await bouncer.ask("PORT 192,168,1,1,31,64")).toMatch(/^501/);
  expect(await bouncer.ask("PORT 127,0,0,1,0,25")).toMatch(/^501/);
  expect(await bouncer.ask("EPRT |1|10.0.0.1|8000|")).toMatch(/^501/);
  bouncer.close();
  const text = await eventually(async () => {
    const noted = await faults();
    return noted.includes("10.0.0.1") ? noted : undefined;
  });
  expect(text).toContain("127.0.0.1: Wrong password for user porch");
  expect(text).toContain("127.0.0.1: Unknown user nobody: no camera has this FTP login");
  expect(text).toContain("Asked for a connection to 192.168.1.1, which is not its own address");
});

it("FTP: an upload that is cut leaves nothing behind and is noted with its size", async () => {
  const before = await readdir(root, { recursive: true });
  const client = await new FtpClient(port).login("porch", password);
  const picture = await uniqueJpeg();
  const data = await client.passive();
  await client.ask("STOR cut.jpg");
  data.write(picture.subarray(0, 5_000));
  await eventually(async () => (await readdir(join(root, ".homesec-uploads"))).length > 0);
  data.resetAndDestroy();
  expect(await client.reply()).toMatch(/^426/);
  const aborted = await client.passive();
  await client.ask("STOR aborted.jpg");
  aborted.write(picture.subarray(0, 5_000));
  expect(await client.ask("ABOR")).toMatch(/^426/);
  expect(await client.reply()).toMatch(/^226/);
  expect(await readdir(root, { recursive: true })).toEqual(before);
  const pattern = /ended after [\d,]+ bytes without a complete file/;
  await eventually(async () => pattern.test(await faults()));
  client.close();
});

it("FTP: a session ends when its login changes, and uses are counted", async () => {
  const client = await new FtpClient(port).login("porch", password);
  const { logins } = await eventually(async () => {
    const answers = await ask("GET", "/api/receivers?camera_id=porch");
    return (answers.logins[0]?.file_count ?? 0) > 8 ? answers : undefined;
  });
  expect(logins[0]?.last_connected_at).not.toBeNull();
  ({
    settings: { password },
  } = await ask("POST", "/api/cameras/porch/logins/ftp", {}));
  expect(await client.reply()).toBe("421 The login has changed");
  expect(await client.reply()).toBe("closed");
});
