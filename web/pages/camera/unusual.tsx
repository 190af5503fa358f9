import { useState } from "react";
import type { z } from "zod";
import { ranges } from "../../../src/contract/constants.ts";
import { type BaselineConfig, baselineRoutes } from "../../../src/contract/routes/baselines.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { className } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago, useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

type Config = z.output<typeof BaselineConfig>;

/** The routes whose replies change when homesec learns again. */
const learned = [
  baselineRoutes.getBaseline,
  baselineRoutes.getActivityBaseline,
  baselineRoutes.getClassBaseline,
  baselineRoutes.listAnomalies,
] as const;

/** What was unusual lately, when something counts as unusual, and a way to learn again. */
export function Unusual({ camera }: { readonly camera: CameraRecord }) {
  const { cameras } = useAdminTexts();
  const attempt = useAttempt();
  const params = { camera_id: camera.camera_id };
  const anomalies = useReply(baselineRoutes.listAnomalies, { params, query: { days: 7 } });
  const baseline = useReply(baselineRoutes.getBaseline, { params });
  const config = useReply(baselineRoutes.getBaselineConfig, { params });
  const reset = useAction(baselineRoutes.resetBaseline, learned);
  const now = baseline.data?.current_deviation;
  return (
    <Section title={cameras.unusual}>
      {now && <p className="mb-2">{cameras.now(cameras.deviation[now.interpretation])}</p>}
      <Loaded reply={anomalies}>
        {({ anomalies: all }) =>
          all.length === 0 ? (
            <p className="text-soft">{cameras.noUnusual}</p>
          ) : (
            <ul className="rounded-xl border border-line bg-card px-4">
              {all.slice(0, 10).map(({ timestamp, detection_class, reason }) => (
                <li key={`${timestamp.getTime()} ${detection_class}`} className="border-b border-line py-2 last:border-0">
                  <p>
                    <DaemonText>{reason}</DaemonText>
                  </p>
                  <Ago time={timestamp} className="text-sm text-soft" />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <details className="mt-3">
        <summary className="min-h-11 py-2 font-medium">{cameras.sensitivity}</summary>
        <Loaded reply={config}>{(data) => <Sensitivity key={JSON.stringify(data)} cameraId={camera.camera_id} config={data} />}</Loaded>
        <UsualObjects cameraId={camera.camera_id} />
        <div className="mt-3">
          <ConfirmButton
            text={cameras.reset}
            title={cameras.resetTitle(camera.name)}
            disabled={reset.isRunning}
            onConfirm={() => void attempt(reset.run({ params }), cameras.forgotten)}
          >
            {cameras.resetHint}
          </ConfirmButton>
        </div>
      </details>
    </Section>
  );
}

function Sensitivity({ cameraId, config }: { readonly cameraId: string; readonly config: Config }) {
  const texts = useTexts();
  const { cameras } = useAdminTexts();
  const format = useFormat();
  const attempt = useAttempt();
  const [isOwn, setOwn] = useState(config.override_global_config);
  const [threshold, setThreshold] = useState(String(config.threshold_stdev));
  const [samples, setSamples] = useState(String(config.min_samples));
  const update = useAction(baselineRoutes.updateBaselineConfig, [baselineRoutes.getBaselineConfig, ...learned]);
  const save = (): void => {
    const own = { threshold_stdev: Number(threshold), min_samples: Number(samples) };
    const body = { override_global_config: isOwn, ...(isOwn && own) };
    void attempt(update.run({ params: { camera_id: cameraId }, body }), texts.event.saved);
  };
  const { threshold_stdev, min_samples } = config.global_config;
  return (
    <form
      className="grid gap-3"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        save();
      }}
    >
      <CheckField
        label={cameras.own}
        hint={cameras.ownHint(format.number(threshold_stdev), min_samples)}
        checked={isOwn}
        onChecked={setOwn}
      />
      {isOwn && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={cameras.threshold}
            hint={cameras.thresholdHint}
            type="number"
            required
            min={ranges.baselineThresholdStdev[0]}
            max={ranges.baselineThresholdStdev[1]}
            step="any"
            value={threshold}
            onText={setThreshold}
          />
          <TextField
            label={cameras.samples}
            hint={cameras.samplesHint}
            type="number"
            required
            min={1}
            value={samples}
            onText={setSamples}
          />
        </div>
      )}
      <Button type="submit" isBusy={update.isRunning} className="min-h-11 justify-self-start">
        {texts.common.save}
      </Button>
    </form>
  );
}

/** How often each class is seen, and at which hour most. */
function UsualObjects({ cameraId }: { readonly cameraId: string }) {
  const texts = useTexts();
  const { cameras } = useAdminTexts();
  const format = useFormat();
  const { data } = useReply(baselineRoutes.getClassBaseline, { params: { camera_id: cameraId } });
  if (!data || data.unique_classes.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 font-medium">{cameras.usual}</h3>
      <ul className="text-sm">
        {data.unique_classes.map((label) => {
          const hours = data.entries.filter(({ object_class }) => object_class === label);
          const most = hours.reduce((a, b) => (b.frequency > a.frequency ? b : a));
          return (
            <li key={label}>
              {cameras.classUsual(className(texts, label), format.number(Math.round(most.frequency * 10) / 10), most.hour)}
            </li>
          );
        })}
      </ul>
    </>
  );
}
