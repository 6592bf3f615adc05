import { expect, test } from 'vitest';
import type { CupGame } from '../api/shapes.ts';
import { fit, GAP, LINE, unfinishedFirst, type Content, type Page, type Part } from './projector.ts';

/** The space that the header leaves of a screen. */
const screen = (width: number, height: number) => ({
  width: width * 0.96,
  height: height * 0.88,
  screen: Math.min(width, height),
});
const sizes = [
  [1920, 1080],
  [1280, 720],
  [1024, 768],
  [3840, 2160],
  [1080, 1920],
  [390, 844],
  [300, 80],
] as const;

/** The numbers of rows that some parts show, in order and each once. */
function shown(parts: readonly (Part | null)[]): number[] {
  const all = parts.flatMap((part) =>
    part ? Array.from({ length: part.to - part.from }, (_, i) => part.from + i) : [],
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Whether a page is within its space. */
function within({ games, rows }: Page, size: number, { width, height }: Content): boolean {
  const high = (part: Part | null) =>
    part ? Math.ceil((part.to - part.from) / part.columns) * LINE * size : 0;
  const wide = (games?.width ?? 0) + (rows?.width ?? 0) - GAP;
  const lines = Math.max(LINE * size, height); // a single line is shown in any case
  return wide * size <= width + 1 && Math.max(high(games), high(rows)) <= lines + 0.01;
}

test.each(
  sizes.flatMap(([width, height]) =>
    [0, 2, 5, 17, 60, 64].flatMap((players) =>
      [4, 12, 20].map((longest) => [width, height, players, longest] as const),
    ),
  ),
)('%i × %i shows %i players with names of %i letters', (width, height, players, longest) => {
  for (const games of [0, Math.ceil(players / 2)]) {
    const content = { ...screen(width, height), games, rows: players, longest };
    const { size, pages } = fit(content);
    expect(shown(pages.map((page) => page.games))).toEqual(Array.from({ length: games }, (_, i) => i));
    expect(shown(pages.map((page) => page.rows))).toEqual(Array.from({ length: players }, (_, i) => i));
    expect(pages.filter((page) => !within(page, size, content))).toEqual([]);
    expect(pages.filter((page) => !page.games && !page.rows)).toEqual([]);
  }
});

test('few players have large type, a class of sixty as many pages as the smallest type needs', () => {
  const of = (width: number, height: number, players: number, longest: number) => {
    const { size, pages } = fit({ ...screen(width, height), games: players / 2, rows: players, longest });
    return [size, pages.length];
  };
  expect(of(1920, 1080, 4, 10)).toEqual([54, 1]);
  expect(of(1920, 1080, 60, 10)[1]).toBe(1);
  expect(of(1920, 1080, 60, 20)).toEqual([27, 2]);
  expect(of(1280, 720, 60, 20)).toEqual([18, 2]);
  expect(of(1280, 720, 64, 32)).toEqual([17, 3]);
});

test('the games that go on come first, those without an opponent are over', () => {
  const game = (board: number, points: number | null, b: string | null = 'b') =>
    ({ board, b, a_points: points, b_points: points }) as CupGame;
  const games = [game(1, 1), game(2, null), game(3, null, null), game(4, null), game(5, 0)];
  expect(unfinishedFirst(games).map(({ board }) => board)).toEqual([2, 4, 1, 3, 5]);
});
