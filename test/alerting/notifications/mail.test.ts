import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { composeMail, type MailSetting } from "../../../src/alerting/email/compose.ts";
import { mailPicture } from "../../../src/alerting/email/picture.ts";
import { hangFolder } from "../../support/hung-folder.ts";
import { type ParsedMail, parseMail } from "../../support/mail.ts";
import { picturePath } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { message, silenceMessage } from "./messages.ts";

const patient = new AbortController().signal;
const setting: MailSetting = {
  from: '"Home" <homesec@example.org>',
  to: ["me@example.org", "you@example.org"],
  timeZone: "Europe/Berlin",
  links: { publicUrl: undefined, webEnabled: true },
  now: new Date("2026-07-01T21:32:00Z"),
};
const compose = async (
  ...[what, picture, other]: [Parameters<typeof composeMail>[0], Parameters<typeof composeMail>[1]?, Partial<MailSetting>?]
) => parseMail((await composeMail(what, picture, { ...setting, ...other })).raw);
const source = (filePath: string) => ({
  id: 5,
  filePath,
  fileType: "image/jpeg",
  fileSize: null,
  otherTimes: [],
  videoOffsetSeconds: null,
  objectType: "person",
  confidence: 0.9,
  box: null,
  thumbnailPath: null,
  previewVersion: "",
  privateParts: [],
});

describe("alert mail", () => {
  it("the subject names severity, object, camera and local time", async () => {
    const { headers } = await compose(message());
    expect(headers["subject"]).toBe("[High] Person at The Gate, Wed 1 Jul 2026 23:30");
    expect(headers["from"]).toBe("Home <homesec@example.org>");
    expect(headers["to"]).toBe("me@example.org, you@example.org");
    expect(headers["date"]).toBe("Wed, 01 Jul 2026 21:32:00 +0000");
  });

  it("the subject and the colour show the level of the event, and the severity of the rule while there is none", async () => {
    const shown = async (...of: Parameters<typeof message>) => {
      const { headers, html } = await compose(message(...of));
      return [
        headers["subject"]?.split("]")[0]?.slice(1),
        /background:(#[0-9a-f]{6});color:#ffffff/.exec(html)?.[1],
        headers["x-priority"],
      ];
    };
    expect(await shown({ severity: "low", riskScore: 91, riskLevel: "critical" })).toEqual(["Critical", "#b91c1c", "1 (Highest)"]);
    expect(await shown({ severity: "high", riskScore: 12, riskLevel: "low" })).toEqual(["Low", "#4b5563", undefined]);
    const unjudged = { riskScore: null, riskLevel: null, analysisStatus: "pending" } as const;
    expect(await shown({ ...unjudged, severity: "medium" })).toEqual(["Medium", "#b45309", undefined]);
    const grave = { notificationId: "x", alertId: "y", ruleName: "Grave", severity: "critical", matchedConditions: [] } as const;
    expect(await shown({ ...unjudged, severity: "medium" }, { joined: [grave] })).toEqual(["Critical", "#b91c1c", "1 (Highest)"]);
  });

  it("no condition of a rule appears as homesec stores it", async () => {
    const event = ["risk_score >= 60", "object_type in [person, car]", "camera_id in [gate]", "confidence >= 0.6"];
    const conditions = [...event, "within schedule mon-fri 22:00-06:00 Europe/Berlin"];
    const mails = await Promise.all([
      compose(message({ matchedConditions: conditions })),
      compose(message({ eventKind: "camera_health", matchedConditions: ["kind = camera_health"], riskScore: null, riskLevel: null })),
    ]);
    for (const { text } of mails) expect(text).not.toMatch(/_|>=| = | \[/);
    expect(mails[0]?.text).toContain(
      "Why: The risk score is 60 or more, a person or a car was seen, the confidence is 60 % or more, it was within mon-fri 22:00-06:00 Europe/Berlin\n",
    );
    expect(mails[1]?.text).toContain("\nRule: Somebody at night (severity high)\nEvent: 17\n");
  });

  it("domains in other scripts are written in ASCII", async () => {
    const { from, to, raw } = await composeMail(message(), undefined, {
      ...setting,
      from: "Haus <haus@müller.de>",
      to: ["ich@bücher.example"],
    });
    expect([from, to]).toEqual(["haus@xn--mller-kva.de", ["ich@xn--bcher-kva.example"]]);
    const headers = raw.subarray(0, raw.indexOf("\r\n\r\n")).toString("latin1");
    expect(headers).toMatch(/^[\x20-\x7e\r\n\t]+$/);
  });

  it("text and HTML contain the same facts, reasons and time zone", async () => {
    const { text, html } = await compose(message());
    for (const fact of [
      "A person at the gate.",
      "It is night.",
      "72 of 100 (high)",
      "Somebody at night",
      "person, dog",
      "Europe/Berlin",
      "23:30",
    ]) {
      expect(text).toContain(fact);
      expect(html).toContain(fact);
    }
    for (const part of [text, html]) expect(part).toContain("The risk score is 60 or more, a person was seen");
    expect(text + html).not.toContain("late");
    expect(text + html).not.toContain("http");
  });

  it("with PUBLIC_URL it links to the event and its full picture", async () => {
    const { text, html } = await compose(message(), undefined, { links: { publicUrl: "https://home.example.org/sec", webEnabled: true } });
    for (const url of ["https://home.example.org/sec/events/17", "https://home.example.org/sec/api/detections/5/image"]) {
      expect(text).toContain(url);
      expect(html).toContain(`href="${url}"`);
    }
  });

  it("a late mail explains its delay", async () => {
    const late = "This alert is late: it could not be sent for 4 minutes (connect ECONNREFUSED).";
    const { text, html } = await compose(message({}, { late }));
    expect(text).toContain(late);
    expect(html).toContain(late);
  });

  it("mails of one camera and local day share a thread, and a repeated mail keeps its id", async () => {
    const ids = ({ headers }: ParsedMail) => [headers["message-id"], headers["in-reply-to"], headers["references"]];
    const topic = "<camera.gate.2026-07-01@example.org>";
    const first = ids(await compose(message()));
    expect(first).toEqual(["<notification.11111111-2222-4333-8444-555555555555@example.org>", topic, topic]);
    expect(ids(await compose(message()))).toEqual(first);
    const afterMidnight = await compose(message({ startedAt: new Date("2026-07-01T22:30:00Z") }));
    expect(afterMidnight.headers["references"]).toBe("<camera.gate.2026-07-02@example.org>");
    expect((await compose(message({ cameraId: "yard" }))).headers["references"]).toBe("<camera.yard.2026-07-01@example.org>");
  });

  it("an event without a risk score shows whether it may still get one", async () => {
    const unjudged = { riskScore: null, riskLevel: null, summary: "", reasoning: "" };
    const pending = (await compose(message({ ...unjudged, analysisStatus: "pending" }))).text;
    expect(pending).toContain("No summary: the event has no risk score yet.");
    expect(pending).toContain("\nRisk: no risk score yet\n");
    const failed = (await compose(message({ ...unjudged, analysisStatus: "failed" }))).text;
    expect(failed).toContain("the event has no risk score.");
    expect(failed).toContain("\nRisk: no risk score\n");
  });

  it("the subject of an incident shows whether it lasts, and its end answers the first mail", async () => {
    const incident = { eventKind: "camera_health", objectTypes: [], riskScore: null, riskLevel: null, severity: "critical" } as const;
    const over = { ...incident, incidentEndedAt: new Date("2026-07-01T22:00:00Z") };
    const endOf = "22222222-2222-4333-8444-555555555555";
    const subject = async (...of: Parameters<typeof message>) => (await compose(message(...of))).headers["subject"];
    expect(await subject(incident)).toBe("[Critical] Problem with camera The Gate, Wed 1 Jul 2026 23:30");
    expect(await subject(over)).toBe("[Critical] Resolved problem with camera The Gate, Wed 1 Jul 2026 23:30");
    const { headers } = await compose(message(over, { endOf }));
    expect(headers["subject"]).toBe("Resolved: problem with camera The Gate, Wed 1 Jul 2026 23:30");
    expect(headers["in-reply-to"]).toBe(`<notification.${endOf}@example.org>`);
    expect(headers["references"]).toBe(`<camera.gate.2026-07-01@example.org> <notification.${endOf}@example.org>`);
    expect(headers["x-priority"]).toBeUndefined();
  });

  it("an incident that lasts has a start, and one that is over has a duration", async () => {
    const health = {
      eventKind: "camera_health",
      startedAt: new Date("2026-07-01T21:30:00Z"),
      endedAt: new Date("2026-07-01T22:30:09Z"),
    } as const;
    const lasts = (await compose(message(health))).text;
    expect(lasts).toContain("\nSince: Wed 1 Jul 2026 23:30 (Europe/Berlin)\n");
    expect(lasts).not.toContain("Time: ");
    expect((await compose(message({ ...health, incidentEndedAt: health.endedAt }))).text).toContain("23:30 (Europe/Berlin), for 1 h 9 s\n");
    expect((await compose(message())).text).toContain("\nTime: Wed 1 Jul 2026 23:30 (Europe/Berlin), for 45 s\n");
  });

  it("the headers mark the mail as automatic, and as urgent only for a critical alert", async () => {
    const { headers } = await compose(message());
    expect(headers["auto-submitted"]).toBe("auto-generated");
    expect(headers["list-id"]).toBe("homesec alerts <alerts.homesec.example.org>");
    expect(headers["x-priority"]).toBeUndefined();
    expect((await compose(message({ severity: "critical" }))).headers["x-priority"]).toMatch(/^1/);
  });

  it("no name or text becomes a header, a tag or a template", async () => {
    const evil = 'Gate\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script> {{ 7 * 7 }} {% raw %} "><img src=x>';
    const mail = await compose(
      message({ cameraName: evil, summary: evil, reasoning: evil, ruleName: evil, objectTypes: [evil], matchedConditions: [evil] }),
    );
    expect(mail.headerNames.map((name) => name.toLowerCase())).not.toContain("bcc");
    expect(mail.headers["subject"]).toContain("Gate Bcc: thief@example.com");
    expect(mail.html).not.toContain("<script");
    expect(mail.html).not.toContain("<img");
    expect(mail.html).toContain("{{ 7 * 7 }}");
    expect((mail.headers["subject"] ?? "").length).toBeLessThanOrEqual(200);
  });

  it("names in every script survive", async () => {
    const mail = await compose(message({ cameraName: "Einfahrt Süd 門 🚪", summary: "Überraschung – 誰か" }));
    expect(mail.headers["subject"]).toContain("Einfahrt Süd 門 🚪");
    expect(mail.text).toContain("Überraschung – 誰か");
  });
});

describe("mail picture", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder("mail");
  });
  afterEach(() => folder.remove());

  it("the mail contains it small, upright and without metadata", async () => {
    const file = `${folder.path}/big.jpg`;
    await sharp(picturePath())
      .resize(2400, 1800)
      .withExif({ IFD0: { Make: "Camera" }, IFD3: { GPSLatitudeRef: "N" } })
      .withMetadata({ orientation: 6 })
      .toFile(file);
    const mail = await compose(message(), await mailPicture(source(file), [folder.path], patient));
    expect(mail.pictures).toHaveLength(1);
    const [picture] = mail.pictures;
    expect(picture?.type).toBe("image/jpeg");
    expect(picture?.disposition).toMatch(/^inline/);
    expect(mail.html).toContain(`src="cid:${picture?.id}"`);
    const found = await sharp(picture?.bytes).metadata();
    expect([found.width, found.height, found.exif, found.orientation]).toEqual([720, 960, undefined, undefined]);
    expect(picture?.bytes.length).toBeLessThan(200_000);
  });

  it("the picture has the boxes of all detections, at the size at which it is shown", async () => {
    const file = `${folder.path}/grey.jpg`;
    await sharp({ create: { width: 1920, height: 1080, channels: 3, background: "#808080" } }).toFile(file);
    const box = (x: number) => ({ objectType: "person", confidence: 0.9, box: { x, y: 400, width: 200, height: 400 } });
    const made = await mailPicture(source(file), [folder.path], patient, undefined, [box(200), box(1200), { ...box(0), box: null }]);
    if (!("jpeg" in made)) throw new Error(made.fault);
    const { data, info } = await sharp(made.jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([960, 540]);
    const isRed = (x: number, y: number): boolean => {
      const [red = 0, green = 0] = data.subarray((y * info.width + x) * info.channels);
      return red > 180 && green < 120;
    };
    // Left edge, right edge, bottom of each box, half as large; nothing in between
    expect([100, 200, 600, 700].map((x) => isRed(x, 300))).toEqual([true, true, true, true]);
    expect([150, 650].map((x) => isRed(x, 400))).toEqual([true, true]);
    expect([50, 150, 400, 650, 800].map((x) => isRed(x, 300))).toEqual([false, false, false, false, false]);
  });

  it("a missing or broken picture is replaced by the reason, without its path", async () => {
    const gone = await compose(message(), await mailPicture(source(`${folder.path}/gone.jpg`), [folder.path], patient));
    expect(gone.text).toContain("No picture: it is gone from the disk.");
    expect(gone.html).toContain("it is gone from the disk");
    expect(gone.pictures).toEqual([]);
    expect(gone.text).not.toContain(folder.path);
    await writeFile(`${folder.path}/broken.jpg`, "no picture");
    expect(await mailPicture(source(`${folder.path}/broken.jpg`), [folder.path], patient)).toEqual({
      fault: "No picture: it cannot be decoded.",
    });
  });

  it("the mail does not wait for a picture that takes too long", async () => {
    const hung = hangFolder(folder.path);
    try {
      expect(await mailPicture(source(`${folder.path}/a.jpg`), [folder.path], patient, 50)).toEqual({
        fault: "No picture: reading it took too long.",
      });
    } finally {
      hung.answer();
    }
  });
});

describe("digest mail", () => {
  const held = (count: number, listed: number) => ({
    count,
    events: Array.from({ length: listed }, (_, index) => ({
      eventId: 100 + index,
      cameraId: "gate",
      cameraName: "The Gate",
      eventKind: "event" as const,
      analysisStatus: index === 0 ? ("failed" as const) : ("completed" as const),
      startedAt: new Date(Date.UTC(2026, 6, 1, 21, 31 + index)),
      riskScore: index === 0 ? null : 60 + index,
      riskLevel: index === 0 ? null : "high",
      summary: index === 0 ? "" : `Walker ${index}`,
    })),
  });

  it("it counts the held-back events and lists them with times and risks", async () => {
    const mail = await compose(message({}, { heldBack: held(25, 20) }), undefined, {
      links: { publicUrl: "https://home.example.org", webEnabled: true },
    });
    expect(mail.headers["subject"]).toBe("[High] 25 more events since the alert at The Gate, Wed 1 Jul 2026 23:30");
    expect(mail.text).toContain("Wed 1 Jul 2026 23:50  79 of 100 (high)  The Gate: Walker 19");
    expect(mail.text).toContain("no risk score  The Gate: event 100");
    expect(mail.text).toContain("5 more events are not listed.");
    expect(mail.html).toContain('href="https://home.example.org/events/119"');
    expect(mail.headers["references"]).toBe("<camera.gate.2026-07-01@example.org>");
  });
});

describe("silence mail", () => {
  it("it names scope, duration and reason, and lists the muted alerts with their rules", async () => {
    const { headers, text, html } = await compose(silenceMessage(), undefined, {
      links: { publicUrl: "https://home.example.org", webEnabled: true },
    });
    expect(headers["subject"]).toBe("The silence for The Gate has ended; it muted 2 alerts");
    expect(text).toContain(
      "lasted 2 h, from Wed 1 Jul 2026 22:00 to Thu 2 Jul 2026 00:00. Reason: A party <b>tonight</b>. It muted 2 alerts:",
    );
    expect(text).toContain('Wed 1 Jul 2026 22:17  72 of 100 (high)  The Gate: A person at the gate. (rule "Somebody at night")');
    expect(text).toContain('The Gate: event 18 (rule "Grave")');
    expect(html).toContain("A party &lt;b&gt;tonight&lt;/b&gt;");
    expect(html).toContain('href="https://home.example.org/events/17"');
    expect(text + html).not.toContain("not listed");
  });

  it("it counts the alerts that it does not list, names a rule as scope, and explains its delay", async () => {
    const { silence, heldBack } = silenceMessage();
    const everything = {
      ...silence,
      cameraId: null,
      cameraName: null,
      ruleId: "x",
      ruleName: "Somebody",
      endsAt: new Date("2026-07-02T22:00:00Z"),
    };
    const { headers, text } = await compose(
      silenceMessage({ silence: everything, heldBack: { ...heldBack, count: 25 }, late: "This message is late: it waited." }),
    );
    expect(headers["subject"]).toBe('The silence for rule "Somebody" has ended; it muted 25 alerts');
    expect(text).toContain("(ended early)");
    expect(text).toContain("23 more alerts are not listed.");
    expect(text).toContain("This message is late");
  });
});
