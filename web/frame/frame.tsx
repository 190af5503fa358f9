import { Ellipsis } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { keyRoutes } from "../../src/contract/routes/keys.ts";
import { call } from "../api/client.ts";
import { useMay } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { KeyList } from "../keys/key-list.tsx";
import { useKeys } from "../keys/keys.tsx";
import { useLiveState } from "../live/live.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ModeButton } from "../parts/mode-button.tsx";
import { useFormat, useNow } from "../texts/format.tsx";
import { chooseLanguage, useLanguage, useTexts } from "../texts/texts.tsx";
import { entries, type NavEntry, onPhone } from "./pages.ts";
import { Views } from "./views.tsx";

/** Returns the entries that are for this client. */
function useEntries(): readonly NavEntry[] {
  const may = { owner: useMay("owner"), resident: useMay("resident") };
  return entries.filter(({ role }) => role === undefined || may[role]);
}

/** The navigation around every page: at the bottom on a phone, at the side on a larger screen. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const texts = useTexts();
  const [, go] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [areViewsOpen, setViewsOpen] = useState(false);
  useKeys({
    help: () => setHelpOpen(true),
    search: () => go("/search"),
    views: () => setViewsOpen(true),
    now: () => go("/"),
    review: () => go("/review"),
    cameras: () => go("/cameras"),
    back: () => history.back(),
  });
  return (
    <div className="md:grid md:grid-cols-[13rem_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-40 focus:bg-card focus:p-3">
        {texts.nav.skip}
      </a>
      <Rail />
      <div className="min-w-0">
        <LineState />
        <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-4 pb-28 outline-none md:px-8 md:pb-10">
          {children}
        </main>
      </div>
      <BottomBar />
      <Views entries={useEntries()} isOpen={areViewsOpen} onClose={() => setViewsOpen(false)} />
      <KeyList isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

function Rail() {
  const texts = useTexts();
  return (
    <nav aria-label={texts.nav.main} className="sticky top-0 hidden h-dvh flex-col gap-1 border-r border-line bg-card p-3 md:flex">
      <p className="flex items-center gap-2 px-3 py-2 text-lg font-semibold">
        <img src="/icon.svg" alt="" width={24} height={24} /> homesec
      </p>
      <ModeButton className="mb-1" />
      {useEntries().map((entry) => (
        <NavLink key={entry.path} entry={entry} className="flex items-center gap-3 rounded-lg px-3 py-2 aria-[current]:bg-raised" />
      ))}
      <Person />
      <LanguageChoice />
    </nav>
  );
}

function BottomBar() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const mine = useEntries();
  const look = "flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs aria-[current]:text-accent";
  return (
    <nav
      aria-label={texts.nav.main}
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-card pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {mine.slice(0, onPhone).map((entry) => (
        <NavLink key={entry.path} entry={entry} className={look} />
      ))}
      <button type="button" className={look} onClick={() => setOpen(true)} aria-haspopup="dialog">
        <Ellipsis aria-hidden size={22} /> {texts.nav.more}
      </button>
      <Dialog title={texts.nav.more} isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="grid gap-1">
          {mine.slice(onPhone).map((entry) => (
            <NavLink
              key={entry.path}
              entry={entry}
              onClick={() => setOpen(false)}
              className="flex min-h-12 items-center gap-3 rounded-lg px-3 py-2 hover:bg-raised"
            />
          ))}
          <Person />
          <LanguageChoice />
        </div>
      </Dialog>
    </nav>
  );
}

interface NavLinkProps {
  readonly entry: NavEntry;
  readonly className: string;
  readonly onClick?: () => void;
}

function NavLink({ entry, className, onClick }: NavLinkProps) {
  const texts = useTexts();
  const [path] = useLocation();
  const isHere = entry.path === "/" ? path === "/" : path.startsWith(entry.path);
  const Icon = entry.icon;
  return (
    <Link href={entry.path} className={className} aria-current={isHere ? "page" : undefined} {...(onClick && { onClick })}>
      <Icon aria-hidden size={20} className="shrink-0" /> {texts.nav[entry.text]}
    </Link>
  );
}

const quiet = "min-h-11 rounded-lg px-3 py-2 text-left text-sm text-soft hover:bg-raised";

/** Who is signed in, with a way out; nothing where everybody may come in. */
function Person() {
  const texts = useTexts();
  const { data } = useReply(keyRoutes.getSession, {});
  if (!data?.kind) return <span className="md:mt-auto" />;
  const signOut = async (): Promise<void> => {
    // a session that homesec has ended already leaves nothing to sign out of
    await call(keyRoutes.endSession, {}).catch(() => undefined);
    location.replace("/login");
  };
  return (
    <button type="button" onClick={() => void signOut()} className={`${quiet} md:mt-auto`}>
      {texts.login.signOut}
      {data?.name && ` · ${data.name}`}
    </button>
  );
}

function LanguageChoice() {
  const language = useLanguage();
  const other = language === "en" ? ({ code: "de", name: "Deutsch" } as const) : ({ code: "en", name: "English" } as const);
  return (
    <button type="button" lang={other.code} onClick={() => chooseLanguage(other.code)} className={quiet}>
      {other.name}
    </button>
  );
}

/** Says when the page no longer hears from homesec, with the age of what it shows. */
function LineState() {
  const texts = useTexts();
  const state = useLiveState();
  const format = useFormat();
  const now = useNow();
  if (state.kind !== "lost") return null;
  return (
    <p role="status" className="sticky top-0 z-20 bg-high px-4 py-2 text-center text-sm font-medium text-page">
      {texts.live.lost(format.ago(state.since, now))}
    </p>
  );
}
