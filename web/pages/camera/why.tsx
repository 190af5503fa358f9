import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { explainRoutes } from "../../../src/contract/routes/explain.ts";
import { useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Steps } from "../event/explanation.tsx";

const minutes = ["1", "5", "15", "60"] as const;
type Minutes = (typeof minutes)[number];

/** Says why a camera gave an alert around a time, or why not. The time and the distance stand in the address. */
export function Why({ cameraId }: { readonly cameraId: string }) {
  const { cameras } = useAdminTexts();
  const { zone } = useFormat();
  const [address, setAddress] = useSearchParams();
  const asked = new Date(address.get("at") ?? "");
  const isAsked = !Number.isNaN(asked.getTime());
  const [time, setTime] = useState(() => clockOf(isAsked ? asked : new Date(), zone));
  const [within, setWithin] = useState<Minutes>(minutes.find((each) => each === address.get("within")) ?? "5");
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (location.hash === "#why") element.current?.scrollIntoView();
  }, []);
  const ask = (): void => setAddress({ at: instantOf(time, zone).toISOString(), within }, { replace: true });
  return (
    <div ref={element} className="scroll-mt-4">
      <Section title={cameras.why}>
        <form
          className="grid gap-3 sm:grid-cols-[1fr_9rem_auto] sm:items-end"
          onSubmit={(submitted) => {
            submitted.preventDefault();
            ask();
          }}
        >
          <TextField label={cameras.whyTime} type="datetime-local" required value={time} onText={setTime} />
          <SelectField
            label={cameras.within}
            value={within}
            options={minutes.map((each) => [each, cameras.minutes(Number(each))] as const)}
            onValue={setWithin}
          />
          <Button type="submit" look="main" className="min-h-11">
            {cameras.explain}
          </Button>
        </form>
        {isAsked && <Answer cameraId={cameraId} at={asked} seconds={60 * Number(address.get("within") ?? within)} />}
      </Section>
    </div>
  );
}

function Answer({ cameraId, at, seconds }: { readonly cameraId: string; readonly at: Date; readonly seconds: number }) {
  const request = { params: { camera_id: cameraId }, query: { at, within_seconds: seconds } };
  const explanation = useReply(explainRoutes.explainMoment, request);
  return (
    <div role="status" className="mt-3 rounded-xl border border-line bg-card p-4">
      <Loaded reply={explanation}>{(data) => <Steps {...data} isOpen />}</Loaded>
    </div>
  );
}

/** A time as an input of date and time writes it, in the zone of the home. */
function clockOf(time: Date, zone: string): string {
  const options = { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat("sv-SE", options).format(time).replace(" ", "T");
}

/** The instant at which the clocks of the zone show a text such as "2026-11-27T03:15". */
function instantOf(text: string, zone: string): Date {
  const asUtc = new Date(`${text}Z`);
  const shown = new Date(`${clockOf(asUtc, zone)}Z`);
  return new Date(asUtc.getTime() - (shown.getTime() - asUtc.getTime()));
}
