// The texts of the console in the person's language: their choice, else the browser's language.
import { computed, signal } from "@preact/signals";
import { de } from "./de";
import { en } from "./en";

const LANGUAGE = "kimberly.language";

export type Messages = typeof en;
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const ALL: Record<Language, Messages> = { en, de };

function first(): Language {
  const kept = localStorage.getItem(LANGUAGE) ?? navigator.language.slice(0, 2);
  return kept in ALL ? (kept as Language) : "en";
}

export const language = signal<Language>(first());
export const t = computed<Messages>(() => ALL[language.value]);

export function speak(chosen: Language): void {
  language.value = chosen;
  localStorage.setItem(LANGUAGE, chosen);
  document.documentElement.lang = chosen;
}

document.documentElement.lang = language.value;

// Translates a name of the api. Of one that the console does not know, returns the part that differs from the others.
export function word(table: Readonly<Record<string, string>>, name: string): string {
  return table[name] ?? name.slice(prefixOf(table, name).length).toLowerCase().replaceAll("_", " ");
}

// The words that all names of a set begin with, such as "DECISION_ACTION_".
function prefixOf(table: Readonly<Record<string, string>>, name: string): string {
  let shared = name;
  for (const other of Object.keys(table)) while (!other.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, shared.lastIndexOf("_") + 1);
}
