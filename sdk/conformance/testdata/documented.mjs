// Prints each public name of the package in TypeScript without a doc comment, as TypeDoc renders them.
//
//     node documented.mjs ../../../web/node_modules/typescript ../../typescript
//
// The contract describes the members of generated types where their names do not.

import { createRequire } from 'node:module';
import path from 'node:path';

const [compiler, folder] = process.argv.slice(2).map((name) => path.resolve(name));
const ts = createRequire(import.meta.url)(compiler);
const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
const entries = ['index.ts', 'node.ts'].map((name) => path.join(folder, 'src', name));
const program = ts.createProgram(entries, options);
const checker = program.getTypeChecker();

const hasText = (symbol) => symbol.getDocumentationComment(checker).length > 0;
const ofContract = (node) => ts.isInterfaceDeclaration(node) && /[/](types|operations)[.]ts$/.test(node.getSourceFile().fileName);
/** Whether a member is seen from outside and defined here, and not by the class or interface around it. */
function isPublic(member) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;
  return member.name && ts.isIdentifier(member.name) && !(ts.getCombinedModifierFlags(member) & hidden);
}

let checked = 0;
for (const entry of entries) {
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    checked++;
    if (!hasText(symbol)) console.log(symbol.name);
    for (const node of symbol.declarations ?? []) {
      if (!(ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) || ofContract(node)) continue;
      for (const member of node.members.filter(isPublic)) {
        if (!hasText(checker.getSymbolAtLocation(member.name))) console.log(`${symbol.name}.${member.name.text}`);
      }
    }
  }
}
if (checked === 0) console.log('the package exports nothing');
