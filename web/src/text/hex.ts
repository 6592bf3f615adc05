// Conversion between bytes and lowercase hex.

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes of an even number of hex digits. */
export function unhex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}
