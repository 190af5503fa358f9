import { getEventListeners } from "node:events";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { type Envelope, sendBySmtp } from "../../../src/alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../src/alerting/email/smtp-outcome.ts";
import { freePort } from "../../support/free-port.ts";
import { type MailServer, type MailServerOptions, mailServer, muteServer } from "../../support/mail-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const serve = async (options: MailServerOptions = {}): Promise<MailServer> => {
  const server = await mailServer(options);
  open.push(server);
  return server;
};
const quick = { connect: 500, greeting: 500, idle: 500, total: 1_000, answer: 1_000 };
const envelope: Envelope = {
  from: "homesec@example.org",
  to: ["me@example.org", "you@example.org"],
  raw: Buffer.from("Subject: x\r\n\r\nhello\r\n"),
};
const send = async (
  port: number,
  login: { user?: string; password?: string; host?: string } = {},
  signal = new AbortController().signal,
) => {
  const server = { host: login.host ?? "127.0.0.1", port, user: login.user, password: login.password };
  return outcomeOfMail(await sendBySmtp(server, envelope, signal, quick));
};
const reply = (code: number, text: string) => () => ({ code, text });

describe("SMTP", () => {
  it("an accepted mail is sent to every recipient", async () => {
    const server = await serve();
    expect(await send(server.port)).toEqual({ kind: "sent", answer: expect.stringContaining("250") });
    expect(server.mails).toMatchObject([{ from: "homesec@example.org", to: ["me@example.org", "you@example.org"], secure: false }]);
  });

  it("an attempt leaves no listener on the daemon's signal", async () => {
    const server = await serve();
    const { signal } = new AbortController();
    expect(await send(server.port, {}, signal)).toMatchObject({ kind: "sent" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const dependants = Object.getOwnPropertySymbols(signal).find(({ description }) => description === "kDependantSignals");
    expect(dependants && (signal as unknown as Record<symbol, Set<unknown>>)[dependants]?.size).toBeFalsy();
  });

  it("TLS is used when the server offers it", async () => {
    const server = await serve({ tls: "offered" });
    expect(await send(server.port)).toMatchObject({ kind: "sent" });
    expect(server.mails[0]?.secure).toBe(true);
  });

  it("user and password are sent when configured", async () => {
    const server = await serve({ tls: "offered", login: { user: "home", password: "s3cret-pass" } });
    expect(await send(server.port, { user: "home", password: "s3cret-pass" })).toMatchObject({ kind: "sent" });
    expect(server.mails[0]?.user).toBe("home");
  });

  it("a refused login is a misconfiguration and is retried", async () => {
    const server = await serve({ login: { user: "home", password: "s3cret-pass" } });
    const outcome = await send(server.port, { user: "home", password: "wr0ng-pass" });
    expect(outcome).toMatchObject({ kind: "again", misconfigured: true });
    expect(outcome.answer).toContain("535");
    expect(outcome.answer).not.toContain("wr0ng");
    // Without a login it answers 530
    expect(await send(server.port)).toMatchObject({ kind: "again", misconfigured: true, answer: expect.stringContaining("530") });
  });

  it.each([
    [450, "4.2.0 greylisted, come back later", { kind: "again" }],
    [451, "4.3.0 try again", { kind: "again" }],
    [550, "5.1.1 no such user", { kind: "failed" }],
    [552, "5.2.2 mailbox full", { kind: "again", lasting: "message" }],
    [550, "blocked", { kind: "again", lasting: "message" }],
    [550, "5.1.8 Access denied, bad outbound sender", { kind: "again", lasting: "account" }],
  ] as const)("the answer %i to each recipient: %s", async (code, text, outcome) => {
    const server = await serve({ onRecipient: reply(code, text) });
    const both = ["me", "you"].map((who) => `refused for ${who}@example.org: ${code} ${text}`).join("; ");
    expect(await send(server.port)).toEqual({ ...outcome, answer: both });
  });

  it.each([
    ["the sender for now", { onSender: reply(421, "4.3.2 closing") }, { kind: "again" }],
    ["the account at MAIL", { onSender: reply(550, "5.4.5 Daily user sending quota exceeded") }, { kind: "again", lasting: "account" }],
    ["the account after DATA", { onMail: reply(550, "5.4.5 Daily user sending quota exceeded") }, { kind: "again", lasting: "account" }],
    ["the mail", { onMail: reply(554, "5.6.0 refused as spam") }, { kind: "again", lasting: "message" }],
    ["the mail by a policy", { onMail: reply(554, "5.7.1 rejected due to local policy") }, { kind: "again", lasting: "message" }],
    ["a domain without DKIM", { onMail: reply(550, "5.7.26 DKIM did not pass") }, { kind: "again", misconfigured: true }],
    ["an address that does not exist after DATA", { onMail: reply(550, "5.1.1 no such user") }, { kind: "failed" }],
    ["the mail for now", { onMail: reply(452, "4.3.1 no room") }, { kind: "again" }],
  ] as const)("a server that refuses %s", async (_, options, outcome) => {
    expect(await send((await serve(options)).port)).toEqual({ ...outcome, answer: expect.any(String) });
  });

  it("a server that refuses this machine is retried", async () => {
    const server = await serve({ onConnect: reply(554, "5.7.1 client blocked, see list.example") });
    const refused = {
      kind: "again",
      answer: expect.stringContaining("refuses this machine: 554 5.7.1 client blocked"),
      misconfigured: true,
    };
    expect(await send(server.port)).toEqual(refused);
  });

  it.each([
    ["its sender", { onSender: reply(553, "5.7.1 sender not owned by home") }, "refuses the sender (SMTP_FROM_ADDRESS): 553 5.7.1 sender"],
    ["whoever is not logged in", { onRecipient: reply(554, "5.7.1 relay access denied") }, "me@example.org: 554 5.7.1 relay access denied"],
    ["this machine, when it hears for whom", { onRecipient: reply(554, "5.7.1 blocked, see list.example") }, "554 5.7.1 blocked"],
  ] as const)("that refuses %s may take the mail when a person has mended that", async (_, options, answer) => {
    expect(await send((await serve(options)).port)).toEqual({
      kind: "again",
      answer: expect.stringContaining(answer),
      misconfigured: true,
    });
  });

  it("a policy refusal and an unknown user together leave one recipient to retry", async () => {
    const server = await serve({
      onRecipient: (who) => (who.startsWith("me") ? { code: 550, text: "5.7.1 not for you" } : { code: 550, text: "5.1.1 no such user" }),
    });
    expect(await send(server.port)).toMatchObject({ kind: "again", misconfigured: true, unreached: ["me@example.org"] });
  });

  it("a mail that only some recipients got is sent and names the others", async () => {
    const bad = await serve({ onRecipient: (who) => (who.startsWith("me") ? { code: 550, text: "no such user" } : undefined) });
    expect(await send(bad.port)).toMatchObject({ kind: "sent", refusedFor: "refused for me@example.org: 550 no such user" });
    expect(bad.mails[0]?.to).toEqual(["you@example.org"]);
    const grey = await serve({ onRecipient: (who) => (who.startsWith("me") ? { code: 450, text: "greylisted" } : undefined) });
    expect(await send(grey.port)).toMatchObject({ kind: "sent", unreached: ["me@example.org"] });
  });

  it("a temporary and a permanent refusal leave one recipient to retry", async () => {
    const server = await serve({
      onRecipient: (who) => (who.startsWith("me") ? { code: 450, text: "greylisted" } : { code: 550, text: "no such user" }),
    });
    expect(await send(server.port)).toMatchObject({ kind: "again", unreached: ["me@example.org"] });
  });

  it("a connection that breaks during the mail is retried", async () => {
    const server = await serve({ dieInMail: 1 });
    const raw = Buffer.concat([envelope.raw, Buffer.alloc(2_000_000, "line after line\r\n")]);
    const smtp = { host: "127.0.0.1", port: server.port, user: undefined, password: undefined };
    const result = await sendBySmtp(smtp, { ...envelope, raw }, new AbortController().signal, quick);
    expect(outcomeOfMail(result)).toMatchObject({ kind: "again" });
    expect(server.mails).toEqual([]);
  });

  it("a server that delays its answer gets the mail once, and has a time limit", async () => {
    const server = await serve({ answerAfterMs: 1_500 });
    const smtp = { host: "127.0.0.1", port: server.port, user: undefined, password: undefined };
    const raw = Buffer.concat([envelope.raw, Buffer.alloc(1_000_000, "line after line\r\n")]);
    const sent = (answer: number) =>
      sendBySmtp(smtp, { ...envelope, raw }, new AbortController().signal, { ...quick, answer }).then(outcomeOfMail);
    expect(await sent(5_000)).toMatchObject({ kind: "sent" });
    expect(server.mails).toHaveLength(1);
    expect(await sent(700)).toMatchObject({ kind: "again", answer: expect.stringMatching(/no answer within 0.7 s|Timeout/) });
  });

  it("a server that is down, silent or talks nonsense is retried, without blocking others", async () => {
    const mute = await muteServer();
    const odd = await muteServer("HTTP/1.1 400 Bad Request\r\n\r\n");
    const half = await muteServer("220 hello\r\n");
    open.push(mute, odd, half);
    const outcomes = await Promise.all([freePort().then((port) => send(port)), ...[mute, odd, half].map(({ port }) => send(port))]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["again", "again", "again", "again"]);
    expect(outcomes[0]?.answer).toContain("ECONNREFUSED");
  });

  it("the connection closes at once when the daemon stops", async () => {
    const mute = await muteServer("220 hello\r\n");
    open.push(mute);
    const stop = new AbortController();
    const sending = send(mute.port, {}, stop.signal);
    stop.abort();
    expect(await sending).toEqual({ kind: "again", answer: "the attempt was aborted" });
  });

  it("a refused address is not called", async () => {
    for (const host of ["169.254.169.254", "[fe80::1]", "::ffff:169.254.169.254"])
      expect(await send(25, { host })).toMatchObject({ kind: "again", answer: expect.stringContaining("may not be called") });
  });
});

/** A spelling of 127.0.0.1 that homesec does not recognise as this machine. */
const elsewhere = "::ffff:127.0.0.1";
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === "IPv6"));

describe.skipIf(!hasIpv6)("a mail server on another machine", () => {
  const login = { user: "home", password: "s3cret-pass" };

  it("an untrusted certificate gets no password", async () => {
    const server = await serve({ tls: "offered", login });
    const outcome = await send(server.port, { ...login, host: elsewhere });
    expect(outcome).toMatchObject({ kind: "again", answer: expect.stringMatching(/certificate/i) });
    expect(server.users).toEqual([]);
  });

  it("a server without TLS gets no password", async () => {
    const server = await serve({ tls: "none", login });
    const outcome = await send(server.port, { ...login, host: elsewhere });
    expect(outcome).toMatchObject({ kind: "again", misconfigured: true, answer: expect.stringContaining("offers no TLS") });
    expect(server.users).toEqual([]);
    expect(server.mails).toEqual([]);
  });

  it("without a password, TLS with any certificate is used, or none", async () => {
    const [offers, plain] = [await serve({ tls: "offered" }), await serve()];
    for (const { port } of [offers, plain]) expect(await send(port, { host: elsewhere })).toMatchObject({ kind: "sent" });
    expect([offers.mails[0]?.secure, plain.mails[0]?.secure]).toEqual([true, false]);
  });
});

describe("SMTP on port 465", () => {
  it("it uses TLS from the first byte and checks the certificate unless the server is local", async ({ skip }) => {
    const server = await mailServer({ port: 465, tls: "from the start" }).catch(() => skip("this user may not listen on port 465"));
    open.push(server);
    expect(await send(465)).toMatchObject({ kind: "sent" });
    expect(server.mails).toMatchObject([{ secure: true }]);
    if (!hasIpv6) return;
    expect(await send(465, { host: elsewhere })).toMatchObject({ kind: "again", answer: expect.stringMatching(/certificate/i) });
    expect(server.mails).toHaveLength(1);
  });
});
