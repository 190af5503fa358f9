import { useState } from "react";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { useAction } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** A clock that differs by more is wrong: an upload takes seconds. */
const toleratedSeconds = 60;

/** Which files of its folder a camera takes, how their times are read, and how far its clock is off. */
export function FilesAndClock({ camera }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const { cameras } = useAdminTexts();
  const { zone: home } = useFormat();
  const attempt = useAttempt();
  const [zone, setZone] = useState(camera.time_zone ?? "");
  const [template, setTemplate] = useState(camera.time_template);
  const [pattern, setPattern] = useState(camera.file_pattern ?? "");
  const update = useAction(cameraRoutes.updateCamera, [cameraRoutes.getCamera, cameraRoutes.listCameras]);
  const body = { time_zone: zone.trim() || null, time_template: template.trim() || "auto", file_pattern: pattern.trim() || null };
  const isChanged =
    body.time_zone !== camera.time_zone || body.time_template !== camera.time_template || body.file_pattern !== camera.file_pattern;
  const plain = { spellCheck: false, autoCapitalize: "off" } as const;
  return (
    <Section title={cameras.filesAndClock}>
      <form
        className="grid gap-3"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void attempt(update.run({ params: { camera_id: camera.camera_id }, body }), texts.event.saved);
        }}
      >
        <ClockState offset={camera.clock_offset_seconds} />
        <TextField {...plain} label={cameras.zone} hint={cameras.zoneHint(home)} maxLength={64} value={zone} onText={setZone} />
        <TextField {...plain} label={cameras.template} hint={cameras.templateHint} maxLength={200} value={template} onText={setTemplate} />
        <TextField {...plain} label={cameras.pattern} hint={cameras.patternHint} maxLength={200} value={pattern} onText={setPattern} />
        <div>
          <Button type="submit" look={isChanged ? "main" : "plain"} disabled={!isChanged || update.isRunning} className="min-h-11">
            {texts.common.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** Nothing while the camera's files do not state their time. */
function ClockState({ offset }: { readonly offset: number | null }) {
  const { cameras } = useAdminTexts();
  const format = useFormat();
  if (offset === null) return null;
  if (Math.abs(offset) <= toleratedSeconds) return <p className="text-sm text-soft">{cameras.clockRight}</p>;
  return <p role="status">{cameras.clockOff(format.duration(Math.abs(offset) * 1_000), offset > 0)}</p>;
}
