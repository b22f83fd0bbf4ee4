/** The chosen colours; `system` follows the setting of the device. */
export type Theme = 'system' | 'light' | 'dark';

/** Every choice, in the order in which it is offered. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const STORED = 'keyslot-theme';

/** Returns the stored choice. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Stores a choice and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  showTheme(theme);
}

/** Shows a theme. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
