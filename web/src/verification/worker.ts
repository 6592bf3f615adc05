// The worker's script. Vite builds it into a file of its own, so the verifier's code exists once.

import { serve } from './calls.ts';
import { library } from './library.ts';

serve(self, library);
