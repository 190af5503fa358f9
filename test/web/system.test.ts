import sharp from "sharp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { system } from "../../web/texts/admin/system-de.ts";
import { cameraServer } from "../monitoring/pulls/camera-server.ts";
import { accessibilityFindings, chromiumInstalled } from "../support/browser.ts";
import { detectorStandIn, onePerson } from "../support/upstream.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe.skipIf(!chromiumInstalled)("web page: system and cameras (needs chromium)", () => {
  const home = useWebHome();

  it("web page: doctor says what is wrong with the installation and what to do", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/system");
    await page.getByRole("region", { name: "Check the installation" }).getByRole("button", { name: "Check now" }).click();
    await page.getByText(/checks? found a problem|no problem/).waitFor();
    await page.getByText(/\d+ checks without a problem/).click();
    await page.getByText("PostgreSQL version").or(page.getByText("Configuration")).first().waitFor();
    expect(new URL(page.url()).search).toBe("?check=1");
    expect(complaints).toEqual([]);
  });

  it("web page: sealed days are checked, and a noted hash that no day has is a finding, in German too", async () => {
    const { page, complaints } = await home.visit({ viewport: { width: 390, height: 844 } });
    await page.goto("/system");
    const part = page.getByRole("region", { name: "Sealed days" });
    await part.getByRole("button", { name: "Check now" }).click();
    await part.getByText(/No day is sealed yet|nothing was changed by hand/).waitFor();
    await part.getByText("Noted hash").first().click();
    await part.getByLabel("Noted hash").fill("9f86 d081 884c 7d65");
    await part.getByRole("button", { name: "Check again" }).click();
    await part.getByText(/no day has the noted hash/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const german = await home.visit({ viewport: { width: 390, height: 844 }, locale: "de-DE" });
    await german.page.goto("/system");
    const same = german.page.getByRole("region", { name: "Versiegelte Tage" });
    await same.getByText("Notierter Hash").first().click();
    await same.getByLabel("Notierter Hash").fill("xyz");
    await same.getByRole("button", { name: "Jetzt prüfen" }).click();
    await same.getByText("Muss ein notierter Hash sein").waitFor();
  });

  it("web page: every part that works in the background has a German name", async () => {
    const { workers } = (await home.ask("GET", "/api/system/workers")) as { workers: { name: string }[] };
    expect(workers.length).toBeGreaterThan(10);
    expect(workers.map(({ name }) => name).filter((name) => !(name in system.workerNames))).toEqual([]);
  });

  it("web page: the language models are tested, and the page says in words what they can do and what to fix", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/system");
    const part = page.getByRole("region", { name: "Language models" });
    await part.getByRole("button", { name: "Test the models" }).click();
    await part.getByText(/^Asked first: /).waitFor({ timeout: 60_000 });
    await part.getByText(/^It judges an event in [\d.]+ s\. It does not see pictures\./).waitFor();
    await part.getByRole("button", { name: "Test again" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("web page: the self-test shows each stage", async () => {
    const { page } = await home.visit();
    await page.goto("/system/processing");
    await page.getByRole("button", { name: "Start the self-test" }).click();
    await page.getByText(/^The test runs/).waitFor();
    await page.getByText("Picture found").waitFor();
    expect(await page.getByText(/: passed/).count()).toBeGreaterThan(1);
  });

  it("web page: two detectors are compared in drawn boxes and counts, and the comparison can be stopped", async () => {
    const dog = { class: "dog", confidence: 0.8, bbox: { x: 384, y: 288, width: 192, height: 144 } };
    const second = await detectorStandIn({ answer: () => ({ ...onePerson(), detections: [dog] }) });
    onTestFinished(() => second.close());
    await home.giveLastPicture("front-door");
    await home.giveLastPicture("garden");
    const { page, complaints } = await home.visit({ viewport: { width: 390, height: 844 } });
    await page.goto("/system/processing");
    const part = page.getByRole("region", { name: "Compare detectors" });
    await part.getByLabel("Second detector").fill(second.url);
    await part.getByLabel("Number of pictures").fill("2");
    await part.getByRole("button", { name: "Compare" }).click();
    await part.getByText("2 of 2 pictures").waitFor();
    await part
      .getByText(
        /^They differ in 2 pictures\. Bold: only this one found it\. First detector: \d+ ms per picture\. Second detector: \d+ ms per picture\.$/,
      )
      .waitFor();
    expect(await part.getByRole("row").allInnerTexts()).toEqual(
      ["Objects by class both only the first only the second", "person 0 2 0", "dog 0 0 2"].map((row) =>
        expect.stringMatching(new RegExp(row.replaceAll(" ", "\\s"))),
      ),
    );
    const card = part.getByRole("listitem").first();
    await card.getByText(/^Second detector: dog\s80\s%$/).waitFor();
    const picture = await card.locator("img").boundingBox();
    const dashed = await card.locator("rect[stroke-dasharray]").boundingBox();
    expect(await card.locator("rect").count()).toBe(2);
    // the middle of the dog is at 480 of 768 and 360 of 576
    const middle = (start: number, length: number): number => start + length / 2;
    const [x, y] = [middle(dashed?.x ?? 0, dashed?.width ?? 0), middle(dashed?.y ?? 0, dashed?.height ?? 0)];
    expect((x - (picture?.x ?? 0)) / (picture?.width ?? 0)).toBeCloseTo(480 / 768, 1);
    expect((y - (picture?.y ?? 0)) / (picture?.height ?? 0)).toBeCloseTo(360 / 576, 1);

    await second.setMode("hang");
    await part.getByRole("button", { name: "Compare" }).click();
    await expect.poll(() => second.requests).toBe(3);
    await part.getByText("0 of 2 pictures").waitFor();
    await part.getByRole("button", { name: "Stop" }).click();
    await part.getByText("Stopped after 0 of 2 pictures").waitFor();
    await second.setMode("ok");
    await part.getByLabel("Second detector").fill("http://127.0.0.1:9");
    await part.getByRole("button", { name: "Compare" }).click();
    await part.getByText("2 of 2 pictures").waitFor();
    await part
      .getByText(/^Second detector: not processed: .*ECONNREFUSED/)
      .first()
      .waitFor();
    expect(second.requests).toBe(3);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("web page: failed work is retried and deleted, and a file that is not there is explained", async () => {
    await home.ask("POST", "/api/outbound-webhooks", {
      ...{ name: "Gone", url: "http://127.0.0.1:9/", event_types: ["event_created"], max_retries: 0 },
    });
    await home.addEvent({ camera: "garden", score: 20, summary: "The cat crosses the lawn.", minutesAgo: 0 });
    const { page } = await home.visit();
    await page.goto("/system/processing");
    await page.getByRole("button", { name: "Messages: 1 failed" }).click();
    await page.getByText("Gone, event created", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Retry: Gone, event created" }).click();
    await page.getByText("1 is retried").waitFor();
    await page.getByRole("button", { name: "Delete: Messages, 1 job" }).click();
    await page.getByRole("dialog", { name: "Delete Messages, 1 job?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nothing has failed.").waitFor();
    await page.getByLabel("Path of the file on the machine of homesec").fill("/nowhere/picture.jpg");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText(/^(1 step|All \d+ steps)$/).waitFor();
  });

  it("web page: a cleanup shows what it would delete before it does", async () => {
    const { page } = await home.visit();
    await page.goto("/system/storage");
    await page.getByRole("button", { name: "Show what is too old" }).click();
    await page.getByText("Older than 30 days:").waitFor();
    await page.getByRole("button", { name: "Delete it now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete it now" }).click();
    await page.getByText(/^Deleted, because it was older/).waitFor();
  });

  it("web page: a deleted event is restored", async () => {
    const { page } = await home.visit();
    await home.ask("DELETE", "/api/events/2");
    await page.goto("/system/storage");
    await page.getByRole("button", { name: /^Restore: Garden/ }).click();
    await page.getByText("The event is back").waitFor();
  });

  it("web page: a camera is added, renamed, learns again, is deleted and restored", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/cameras");
    await page.getByRole("button", { name: "Add a camera" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Back yard");
    await page.getByRole("dialog").getByRole("button", { name: "Add the camera" }).click();
    await page.getByRole("heading", { level: 1, name: "Back yard" }).waitFor();
    await page.getByText("No file has arrived yet").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1);
    await page.getByRole("region", { name: "Why was there an alert, or none?" }).getByRole("button", { name: "Explain" }).click();
    await page.getByText(/^Camera .*within/).waitFor();
    await page.getByLabel("Name").fill("Yard");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Yard", exact: true }).waitFor();
    const files = page.getByRole("region", { name: "Files and clock" });
    await files.getByLabel("Time zone of its clock").fill("Asia/Kolkata");
    await files.getByLabel("Times of its files").fill("hikvision");
    await files.getByLabel("Its files in a shared folder").fill("ch01*");
    await files.getByRole("button", { name: "Save" }).click();
    const settings = { time_zone: "Asia/Kolkata", time_template: "hikvision", file_pattern: "ch01*" };
    await expect.poll(() => home.ask("GET", `/api/cameras/${id}`)).toMatchObject(settings);
    await page.getByText("Sensitivity and what is usual").click();
    await page.getByLabel(/^Custom values for this camera/).check();
    await page.getByLabel("Counts as unusual from").fill("3");
    await page.getByLabel("Counts as unusual from").press("Enter");
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect.poll(() => home.ask("GET", `/api/cameras/${id}/baseline/config`)).toMatchObject({ threshold_stdev: 3 });
    await page.getByRole("button", { name: "Forget and learn again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget and learn again" }).click();
    await page.getByText("homesec learns again", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete Yard?" }).getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/\/cameras$/);
    await page.getByRole("button", { name: "Restore: Yard" }).click();
    await page.getByText("Yard is back").waitFor();
    expect(await home.ask("GET", `/api/cameras/${id}`)).toMatchObject({ name: "Yard", deleted_at: null });
    expect(complaints).toEqual([]);
  });

  it("web page: pictures of a camera are fetched from an address that is set, tested and removed", async () => {
    const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: "#486" } })
      .jpeg()
      .toBuffer();
    const camera = await cameraServer({ picture, auth: { kind: "digest", user: "viewer", password: "s3cret" } });
    const { page, complaints } = await home.visit();
    await page.goto("/cameras/garden");
    await page.getByText("Fetch pictures from an address").click();
    await page.getByLabel("Address", { exact: true }).fill(camera.url);
    await page.getByRole("button", { name: "Save and test" }).click();
    await page.getByText(/No picture yet: 401: the camera asks for a user and a password/).waitFor();
    await page.getByLabel("User name at the camera").fill("viewer");
    await page.getByLabel("Password at the camera").fill("s3cret");
    await page.getByRole("button", { name: "Save and test" }).click();
    await page.getByText(/It works: 640 × 480 in/).waitFor();
    await page.getByText("Pictures come", { exact: false }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop fetching" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop fetching" }).click();
    await page.getByText("homesec fetches no pictures from this camera").waitFor();
    expect(complaints).toEqual([]);
    await camera.close();
  });
});
