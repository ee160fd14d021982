// The frame of every view: navigation, the user, theme and language.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { users } from "./api/system";
import { LANGUAGES, language, speak, t, type Language } from "./i18n";
import { live } from "./state/live";
import { useLoad } from "./state/load";
import { VIEWS, linkTo, route, type View } from "./state/route";
import { signOut, user } from "./state/session";
import { switchTheme, theme } from "./state/theme";
import { Icon, type IconName } from "./ui/icon";

const ICONS: Record<View, IconName> = {
  overview: "overview",
  memories: "memories",
  tonight: "moon",
  review: "review",
  graph: "graph",
  core: "core",
  context: "context",
};

function Navigation() {
  return (
    <nav class="nav" aria-label={t.value.nav.label}>
      {VIEWS.map((view) => (
        <a key={view} href={linkTo(view)} class="nav-link" aria-current={route.value.view === view ? "page" : undefined}>
          <Icon name={ICONS[view]} />
          <span class="nav-long">{t.value.nav[view]}</span>
          <span class="nav-short" aria-hidden="true">{t.value.nav.short[view]}</span>
        </a>
      ))}
    </nav>
  );
}

function Switches() {
  const words = t.value.frame;
  return (
    <div class="switches">
      <select
        class="quiet-select"
        aria-label={words.language}
        value={language.value}
        onChange={(event) => speak(event.currentTarget.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code}>{name}</option>
        ))}
      </select>
      <button type="button" class="icon-button" onClick={switchTheme} aria-label={theme.value === "dark" ? words.light : words.dark}>
        <Icon name={theme.value === "dark" ? "sun" : "moon"} />
      </button>
    </div>
  );
}

// The user, and the other users if the key may see them.
function Name() {
  const words = t.value.frame;
  const { data } = useLoad(users, []);
  const all = [...new Set([user.value, ...(data ?? [])])].sort();
  if (all.length === 1) return <span class="whose-name" title={words.of(user.value)}><bdi>{user.value}</bdi></span>;
  return (
    <select
      class="quiet-select whose-name"
      aria-label={words.whose}
      value={user.value}
      onChange={(event) => (location.hash = linkTo("overview", "", {}, event.currentTarget.value))}
    >
      {all.map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  );
}

function Whose() {
  const words = t.value.frame;
  return (
    <div class="whose">
      <Name />
      <span class={live.value ? "live is-live" : "live"}>{live.value ? words.live : words.polling}</span>
      <button type="button" class="icon-button" onClick={signOut} aria-label={words.leave} title={words.leave}>
        <Icon name="leave" />
      </button>
    </div>
  );
}

export function Frame({ children }: { children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  const { view } = route.value;
  const first = useRef(true);
  useEffect(() => {
    document.title = `${t.value.nav[view]} · Kimberly`;
    // Moves the focus to the beginning of the new view, so that screen readers announce it.
    if (!first.current) {
      main.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    first.current = false;
  }, [view, language.value]);
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={(event) => (event.preventDefault(), main.current?.focus())}>{t.value.nav.skip}</a>
      <header class="side">
        <a class="brand" href={linkTo("overview")}>
          <Icon name="brand" />
          <span>Kimberly</span>
        </a>
        <Navigation />
        <div class="side-foot">
          <Whose />
          <Switches />
        </div>
      </header>
      <main id="content" class="main" ref={main} tabIndex={-1}>{children}</main>
    </div>
  );
}
