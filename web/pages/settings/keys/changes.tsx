import { keyRoutes } from "../../../../src/contract/routes/keys.ts";
import { useList } from "../../../api/use-list.ts";
import { Button } from "../../../parts/button.tsx";
import { Section } from "../../../parts/page.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { Ago } from "../../../texts/format.tsx";
import { useTexts } from "../../../texts/texts.tsx";

/** Who changed what, newest first. Nothing is recorded of clients without a name. */
export function Changes() {
  const texts = useTexts();
  const { keys } = useAdminTexts();
  const list = useList(keyRoutes.listChanges, { query: { limit: 20 } });
  const changes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={keys.changes}>
      {list.data && changes.length === 0 && <p className="text-soft">{keys.noChanges}</p>}
      {changes.length > 0 && (
        <ul className="rounded-xl border border-line bg-card px-4">
          {changes.map(({ id, at, by, role, operation, subjects, fields }) => (
            <li key={id} className="border-b border-line py-2 last:border-0">
              <p>
                <span className="font-medium">{by}</span> · {keys.role[role]} · <Ago time={at} className="text-soft" />
              </p>
              <p className="text-sm break-words text-soft">
                {wordsOf(operation)} · {subjects.join(", ")}
                {fields.length > 0 && ` (${fields.join(", ")})`}
              </p>
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

/** "updateEvent" as "update event". */
function wordsOf(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
