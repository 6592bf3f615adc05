// The source of a component after its texts became messages.

import { expect, test } from 'vitest';
import { readSource } from './source.ts';

/** Returns the compiled markup, without the import. */
function compiled(markup: string): string {
  return readSource('Some.svelte', markup).code.replace(/^<script.*<\/script>/, '');
}

test('spaces between a message and its neighbours stay', () => {
  expect(compiled('<b>Sold{#if mine}&nbsp;to you{/if}.</b>')).toBe(
    '<b>{__t("Sold")}{#if mine}&nbsp;{__t("to you")}{/if}.</b>',
  );
  expect(compiled('<p> Tier {n}&nbsp;<br />of all </p>')).toBe(
    '<p> {__t("Tier {count}", { count: n })}&nbsp;<br />{__t("of all")} </p>',
  );
});
