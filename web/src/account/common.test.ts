import { expect, test } from 'vitest';
import { isCommon } from './common.ts';

test('the commonest passwords are found in any letter case', async () => {
  for (const password of ['password', '12345678', 'PassWord', 'qwertyuiop', 'baseball']) {
    expect(await isCommon(password), password).toBe(true);
  }
  for (const password of ['', 'correct horse battery staple', 'password ', 'vq8Zr1Lm0x']) {
    expect(await isCommon(password), password).toBe(false);
  }
});
