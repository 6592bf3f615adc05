// Texts: hexadecimal, UTF-8, random ones.

/** Returns bytes in hexadecimal. */
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

/** Returns random bytes of the platform's CSPRNG in hexadecimal. */
export const randomHex = (bytes: number): string => hex(crypto.getRandomValues(new Uint8Array(bytes)));

/** Returns a text in UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
