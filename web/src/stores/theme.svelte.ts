// The light or dark theme: the system's until the user chooses one. start.js reads the same key and applies the
// choice before the first paint.

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
      // Without storage the choice lasts until the page is closed.
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
