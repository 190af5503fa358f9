import { modeRoutes } from "../../../../src/contract/routes/modes.ts";
import { useList } from "../../../api/use-list.ts";
import { Button } from "../../../parts/button.tsx";
import { useModeNames } from "../../../parts/names.tsx";
import { Section } from "../../../parts/page.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { Ago } from "../../../texts/format.tsx";
import { useTexts } from "../../../texts/texts.tsx";

/** Who switched the mode and when, newest first. */
export function ModeHistory() {
  const texts = useTexts();
  const { modes } = useAdminTexts();
  const nameOf = useModeNames();
  const list = useList(modeRoutes.listModeSwitches, { query: { limit: 20 } });
  const switches = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={modes.history}>
      {list.data && switches.length === 0 && <p className="text-soft">{modes.noHistory}</p>}
      {switches.length > 0 && (
        <ul className="rounded-xl border border-line bg-card px-4">
          {switches.map(({ id, mode, previous_mode, switched_at, set_by, source }) => (
            <li key={id} className="border-b border-line py-2 last:border-0">
              <span className="font-medium">{source === "schedule" ? modes.schedule : (set_by ?? modes.someone)}</span>{" "}
              {modes.switched(nameOf(previous_mode), nameOf(mode))} · <Ago time={switched_at} className="text-soft" />
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button className="mt-3 w-full" onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </Section>
  );
}
