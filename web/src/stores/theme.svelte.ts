// Light or dark: the system's choice until the person makes one. public/theme.js applies it before the first paint,
// and reads the same key.

type Choice = 'system' | 'light' | 'dark';
const order: readonly Choice[] = ['system', 'light', 'dark'];

class Theme {
  choice = $state<Choice>(read());

  next(): void {
    this.choice = order[(order.indexOf(this.choice) + 1) % order.length] ?? 'system';
    try {
      if (this.choice === 'system') localStorage.removeItem('theme');
      else localStorage.setItem('theme', this.choice);
    } catch {
      // The choice then lasts as long as the page.
    }
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
  }
}

function read(): Choice {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export const theme = new Theme();
